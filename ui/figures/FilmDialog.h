// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What of a run's recording is drawn, and how: a film or a strip. Draws beside the window, with the
// time that remains; closing it stops that.

#include <QDialog>

#include "ui/figures/EvolutionFilm.h"

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
  /// Run, model, view and picture are the request's; the figure where the tab has such a film.
  explicit FilmDialog(const FilmRequest& request, QWidget* parent = nullptr);

  FilmRequest request() const;
  /// Draws into that file or folder.
  void write(const QString& path);
  bool isDrawing() const;

 Q_SIGNALS:
  void saved(const QString& path);

 protected:
  void reject() override;  ///< asks before a film that is being made is stopped

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
  ProgressLine* m_progress;
  ProgressTask* m_task;
  MessageLabel* m_status;
  QPushButton *m_save = nullptr, *m_stop = nullptr;
};

}  // namespace headlight
