// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Options for a film of a video's maps, or a table of its predictions. Runs in the background, with
// the remaining time; closing stops it and leaves no file.

#include <QDialog>

#include <functional>
#include <memory>

#include "core/workbench/figures/VideoFilm.h"
#include "ui/document/Document.h"

class QComboBox;
class QCheckBox;
class QDoubleSpinBox;
class QFormLayout;
class QPushButton;
class QSpinBox;

namespace headlight {

class MessageLabel;
class ProgressLine;
class ProgressTask;

/// The content of the film.
struct VideoFilmRequest {
  QString file;  ///< of the video
  VideoInfo video;
  ModelInfo model;
  MaskScheme masks;
  ViewOptions view;  ///< layer, head, token and how they are drawn
  bool rollout = false;
  /// Called in the dialog's own thread: waits for the session (ModelWorker::session).
  std::function<std::shared_ptr<InferenceSession>()> session;
};

class VideoFilmDialog : public QDialog {
  Q_OBJECT
 public:
  explicit VideoFilmDialog(const VideoFilmRequest& request, QWidget* parent = nullptr);

  bool isTable() const;  ///< a table of predictions, not a film
  VideoFilmOptions options() const;
  double seconds() const;  ///< duration of each frame
  /// Writes this file or folder.
  void write(const QString& path);
  bool isBusy() const;

 Q_SIGNALS:
  void saved(const QString& path);

 protected:
  void reject() override;  ///< asks before it stops a film in progress

 private:
  void makeFields(QFormLayout* form);
  void makeRange(QFormLayout* form);
  void refresh();
  void choosePath();
  void finish(const QString& path, const Result<int>& frames);

  VideoFilmRequest m_request;
  QComboBox *m_kind, *m_shows;
  QSpinBox *m_from, *m_to, *m_every, *m_width;
  QDoubleSpinBox* m_seconds;
  QCheckBox* m_oneScale;
  ProgressLine* m_progress;
  ProgressTask* m_task;
  MessageLabel* m_status;
  QPushButton *m_save = nullptr, *m_stop = nullptr;
};

}  // namespace headlight
