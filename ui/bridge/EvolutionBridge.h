// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The way from the window to the images that a run recorded (evolution.bin): reads them beside
// the window, and shows them in the Document in place of the newest result. Of steps that are asked
// for while one is read only the newest counts.

#include <QObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/Result.h"
#include "ui/base/WorkerThread.h"

namespace headlight {

class Document;
class RecordedImages;

class EvolutionBridge : public QObject {
  Q_OBJECT
 public:
  explicit EvolutionBridge(Document* document, QObject* parent = nullptr);
  ~EvolutionBridge() override;

  const QString& run() const { return m_folder; }
  /// The run whose recording is shown; empty: none. The present is shown again.
  void setRun(const QString& folder);
  /// The last recorded point that is not after `step`; nothing: the present.
  void show(std::optional<std::int64_t> step);

  /// The images of the recording, once a step was shown; empty before.
  const QStringList& images() const { return m_images; }
  int image() const { return m_image; }
  void chooseImage(int image);

  /// Whether all recorded steps are drawn on one scale, so that brightness can be compared over
  /// time, or each on its own (ViewOptions::stepScale).
  bool hasOneScale() const;
  void setOneScale(bool one);

  bool isBusy() const { return m_busy; }
  /// Why the step has no image; empty where it has one.
  const QString& problem() const { return m_problem; }

 Q_SIGNALS:
  void changed();  ///< busy or not, the images, the problem, the scale

 private:
  struct Found;
  void start();
  void done(int shown, const std::shared_ptr<const Result<Found>>& found);

  Document* m_document;
  std::shared_ptr<RecordedImages> m_reading;  ///< touched by the worker thread only
  QString m_folder, m_problem;
  QStringList m_images;
  int m_image = 0;
  bool m_oneScale = true;              ///< reported last
  std::optional<std::int64_t> m_step;  ///< that is wanted
  int m_shown = 0;                     ///< counts the returns to the present: what was asked before
                                       ///< one is not shown behind it
  bool m_busy = false, m_again = false;
  WorkerThread m_worker;  // last: joined first
};

}  // namespace headlight
