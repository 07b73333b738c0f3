// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Plays a video file or a camera through the model: reads frames in a thread of its own and shows
// each together with its maps (ModelWorker::showFrame). One frame is on its way at a time, so
// playing never runs ahead of what is shown.

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <deque>
#include <memory>

#include "core/workbench/session/Video.h"
#include "ui/base/WorkerThread.h"

namespace headlight {

class Document;
class ModelWorker;

class VideoPlayer : public QObject {
  Q_OBJECT
 public:
  enum class Pace {
    Live,   ///< as fast as the video: frames are left out where the model is slower
    Every,  ///< every frame, however long it takes; never faster than the video
  };

  VideoPlayer(Document* document, ModelWorker* inference, QObject* parent = nullptr);
  ~VideoPlayer() override;

  /// Shows its first frame: opened, or failed, and then what was open stays.
  void open(const QString& file);
  void openCamera(int number);
  void close();
  bool isOpen() const { return m_open; }
  const VideoInfo& info() const { return m_info; }
  /// In full; empty: a camera, or nothing.
  const QString& file() const { return m_file; }

  bool isPlaying() const { return m_playing; }
  void play();  ///< from the beginning where it stands at the end
  void pause();
  /// The frame that is shown; −1: none yet.
  std::int64_t frame() const { return m_frame; }
  void show(std::int64_t frame);  ///< newest counts; playing goes on from there
  void step(int frames);          ///< pauses

  Pace pace() const { return m_pace; }
  void setPace(Pace pace);
  double speed() const { return m_speed; }
  void setSpeed(double times);  ///< of the video's own, above 0

  /// Frames per second over the last two seconds; 0: not playing.
  double framesPerSecond() const;
  /// A frame is on its way.
  bool isBusy() const { return m_busy; }
  /// By the names that the document has for images: frames of one video or camera.
  static bool areFramesOfOne(const QString& name, const QString& other);
  /// "clip.avi[12]", as the gallery and sessions keep it; empty of a camera.
  QString address() const;

 Q_SIGNALS:
  void opened();
  void changed();  ///< the frame, playing or not, pace, open or not
  void failed(const QString& title, const QString& text);

 private:
  using Opened = Result<std::unique_ptr<VideoReader>>;
  struct Reading;  ///< touched by the worker thread only
  void openBy(const QString& name, const QString& file, std::function<Opened()> opener);
  void begin(const VideoInfo& info, const QString& file);
  void start();
  void arrived(int ticket, const Result<std::optional<VideoFrame>>& frame, std::int64_t frames);
  void atEnd();
  void shown(int ticket, const VideoFrame& frame, bool done);
  void playOn();
  std::int64_t due() const;
  void restartClock();

  Document* m_document;
  ModelWorker* m_inference;
  std::shared_ptr<Reading> m_reading;
  VideoInfo m_info;
  QString m_file;
  bool m_open = false, m_playing = false, m_busy = false, m_again = false;
  bool m_showing = false;  ///< the document's image changes by this
  int m_ticket = 0;        ///< of the video that counts
  int m_frames = 0;        ///< of the frame that counts
  std::int64_t m_frame = -1, m_wanted = 0;
  Pace m_pace = Pace::Live;
  double m_speed = 1;
  QElapsedTimer m_clock;
  std::int64_t m_clockFrame = 0;  ///< shown when the clock began
  std::deque<qint64> m_shownAt;   ///< by the clock, in ms
  QTimer m_wait;
  std::stop_source m_stop;
  WorkerThread m_worker;  // last: joined first
};

}  // namespace headlight
