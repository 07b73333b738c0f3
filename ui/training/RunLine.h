// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A training run in one line, for those who do something else meanwhile: what it is at, how far,
// how good. A click opens the whole of it.

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

/// Hidden until a run begins, and where the run is shown as a whole.
class RunLine : public QToolBar {
  Q_OBJECT
 public:
  explicit RunLine(TrainingBridge* bridge, QWidget* parent = nullptr);

  /// A run that is followed has its line too, while this window trains none.
  void setFollower(FollowBridge* follower);
  /// Whether the run is shown as a whole elsewhere, so that no line is needed.
  void setShownElsewhere(bool shown);
  QString text() const;
  /// Hidden or shown as it should be: arrangements of the window know nothing of runs.
  void showWhereNeeded();

 Q_SIGNALS:
  void opened();  ///< clicked: show all of the run

 private:
  void onUpdated(const TrainingUpdate& update);
  void onFinished(const TrainingOutcome* outcome);
  void onFollowed(const RunStatus& standing);
  void begin();
  void refresh();

  TrainingBridge* m_bridge;
  FollowBridge* m_follower = nullptr;
  QToolButton* m_open;
  QProgressBar* m_progress;
  QLabel* m_numbers;
  bool m_any = false;   ///< a run has begun in this window
  bool m_live = false;  ///< and goes on
  bool m_shownElsewhere = false;
  QString m_state;
  Progress m_run;
  double m_top1 = -1;                        ///< of the last validation; negative: none yet
  double m_startTop1 = -1, m_bestTop1 = -1;  ///< before the first step, and the best since
};

}  // namespace headlight
