// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A training run in one line, for the other workspaces: state, progress and accuracy. A click opens
// the Training dock. The line of a run that has ended can be closed.

#include <QToolBar>

#include <memory>

#include "core/workbench/training/TrainingSession.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace headlight {

class FollowBridge;
class TrainingBridge;
struct RunStatus;

/// Hidden until a run begins, and while the Training dock is visible.
class RunLine : public QToolBar {
  Q_OBJECT
 public:
  explicit RunLine(TrainingBridge* bridge, QWidget* parent = nullptr);

  /// A followed run is shown too, while this window trains none.
  void setFollower(FollowBridge* follower);
  /// Whether the Training dock shows the run, so that no line is needed.
  void setShownElsewhere(bool shown);
  QString text() const;
  /// Applies the visibility: restored window layouts do not know about runs.
  void showWhereNeeded();

 Q_SIGNALS:
  void opened();  ///< clicked: show the Training dock

 private:
  void onUpdated(const TrainingUpdate& update);
  void onFinished(const TrainingOutcome* outcome);
  void onFollowed(const RunStatus& standing);
  void addCloseButton();
  void begin();
  void close();
  bool hasEnded() const;
  void refresh();

  TrainingBridge* m_bridge;
  FollowBridge* m_follower = nullptr;
  QToolButton* m_open;
  QProgressBar* m_progress;
  QLabel* m_numbers;
  QAction* m_close;
  bool m_any = false;            ///< a run has begun in this window
  bool m_live = false;           ///< the run is in progress
  bool m_followedEnded = false;  ///< the followed run
  bool m_closed = false;         ///< by the user, until a run begins
  bool m_shownElsewhere = false;
  QString m_state;
  Progress m_run;
  QString m_scoreName = QString::fromLatin1(kAccuracyName);
  double m_score = -1;                         ///< last validation; negative: none yet
  double m_startScore = -1, m_bestScore = -1;  ///< before the first step, and the best since
};

}  // namespace headlight
