// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Options for a film or a strip of a run's recording. Draws in the background, with the remaining
// time; closing stops it.

#include <QDialog>

#include "ui/figures/EvolutionFilm.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace headlight {

class MessageLabel;
class ProgressLine;
class ProgressTask;

class FilmDialog : public QDialog {
  Q_OBJECT
 public:
  /// Run, model, view and image come from the request; the figure too, if the tab's can be filmed.
  explicit FilmDialog(const FilmRequest& request, QWidget* parent = nullptr);

  FilmRequest request() const;
  /// Draws into this file or folder.
  void write(const QString& path);
  bool isDrawing() const;

 Q_SIGNALS:
  void saved(const QString& path);

 protected:
  void reject() override;  ///< asks before it stops a film in progress

 private:
  void makeFields(QFormLayout* form);
  void refresh();
  void checkHeads();
  int headsOfLayer() const;
  void choosePath();
  void finish(const QString& path, const Result<int>& drawn);

  FilmRequest m_request;
  QComboBox *m_kind, *m_figure;
  QSpinBox *m_width, *m_steps;
  QDoubleSpinBox* m_seconds;
  QLineEdit* m_heads;
  QCheckBox* m_oneScale;
  ProgressLine* m_progress;
  ProgressTask* m_task;
  MessageLabel* m_status;
  QPushButton *m_save = nullptr, *m_stop = nullptr;
};

}  // namespace headlight
