// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The line of a followed run in the Training dock: its name, progress, age of the newest log line,
// and a button to stop following. Nothing here changes the run.

#include <QFrame>

#include "core/workbench/runs/RunFollower.h"

class QAction;
class QLabel;
class QProgressBar;
class QPushButton;

namespace headlight {

class MessageLabel;

class FollowedLine : public QFrame {
  Q_OBJECT
 public:
  /// `stop`: the action that stops following.
  explicit FollowedLine(QAction* stop, QWidget* parent = nullptr);  ///< hidden

  /// `folder`: the run folder; `hasCheckpoint`: whether its newest weights can be opened.
  void setStanding(const QString& folder, const RunStatus& standing, bool hasCheckpoint);
  /// The masks at the step shown; `edits` go in the tool tip.
  void setMasks(const QString& text, const QString& edits);

  QString text() const;  ///< name, state and freshness
  QString numbers() const;
  QString masks() const;
  /// Zero: it takes its space from the plots and never enlarges the dock or the window.
  QSize minimumSizeHint() const override { return {0, 0}; }

 Q_SIGNALS:
  void openCheckpoint();

 private:
  QWidget* makeHead(QAction* stop);

  QLabel* m_state;
  QPushButton* m_open;
  QProgressBar* m_progress;
  QLabel* m_numbers;
  QLabel* m_masks;
  MessageLabel* m_problem;
};

/// "training", "finished"; with a note if only the age of the newest line tells.
QString followedStateText(const RunStatus& standing);
/// Fraction of steps done, in [0, 1]; 0 if the number of steps is unknown.
double followedShare(const RunMetrics& numbers);

}  // namespace headlight
