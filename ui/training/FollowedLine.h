// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// That what the Training dock shows is a run which somebody else trains: its name, where it stands,
// how fresh that is, and the way to leave it. Nothing here changes the run.

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
  /// `stop`: leaves the run.
  explicit FollowedLine(QAction* stop, QWidget* parent = nullptr);  ///< hidden

  /// `folder`: of the run; `hasCheckpoint`: whether its newest weights can be opened.
  void setStanding(const QString& folder, const RunStatus& standing, bool hasCheckpoint);
  /// The masks at the step that is shown; `edits` in the tool tip.
  void setMasks(const QString& text, const QString& edits);

  QString text() const;  ///< name, state and freshness
  QString numbers() const;
  QString masks() const;
  /// None: it takes its room from the plots and never makes the dock, or the window, larger.
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

/// "training", "finished"; of one that is judged by the age of its newest line that too.
QString followedStateText(const RunStatus& standing);
/// Of steps done, in [0, 1]; 0 where it is not known how many there are.
double followedShare(const RunMetrics& numbers);

}  // namespace headlight
