// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Trains a finished run again, headless, with its mask edits at their steps, and compares the
// weights (core/workbench/training/Replay.h). Not modal: it may take as long as the run.

#include <QDialog>

#include "core/workbench/training/Replay.h"

class QLabel;
class QPushButton;

namespace headlight {

class MessageLabel;
class PathRow;
class ProgressLine;
class ProgressTask;

class ReplayDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ReplayDialog(const QString& run, QWidget* parent = nullptr);

  bool isReplaying() const;
  void start();
  void stop();  ///< after the current step; a later replay in the same folder continues

 Q_SIGNALS:
  void ended();

 private:
  void refresh();
  void finish(const Result<ReplayReport>& report);
  QString run() const;

  PathRow* m_run;
  QLabel* m_where;
  ProgressLine* m_progress;
  ProgressTask* m_task;
  MessageLabel* m_status;
  QPushButton *m_start = nullptr, *m_stop = nullptr;
  std::stop_source m_stopping;
};

}  // namespace headlight
