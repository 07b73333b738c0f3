// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A followed run in the Training dock: its line, its masks, and the actions disabled for it.

#include <QObject>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/workbench/runs/RunFollower.h"
#include "ui/training/TrainingControls.h"

namespace headlight {

class FollowBridge;
class FollowedLine;

class TrainingFollower : public QObject {
  Q_OBJECT
 public:
  /// `line` is shown while a run is followed.
  TrainingFollower(FollowedLine* line, const TrainingActions& actions, QObject* parent);

  /// The source of followed runs. Call once.
  void setBridge(FollowBridge* bridge);
  bool isFollowing() const;
  QString folder() const;  ///< empty: none is followed

  /// Shows the masks at the step of the evolution, or at the newest step.
  void showMasks(std::optional<std::int64_t> step);
  /// Call after the dock has updated its actions: disables those that would change a followed run.
  /// `runsHere`: this window has a run; `shown`: the open model, or null.
  void refreshActions(bool runsHere, const ModelConfig* shown);

 Q_SIGNALS:
  void grew(const headlight::RunGrowth& growth);
  void left(const QString& folder);
  void openCheckpointRequested(const QString& path);

 private:
  void onGrew(const RunGrowth& growth);
  void onLeft(const QString& folder);

  FollowBridge* m_bridge = nullptr;
  FollowedLine* m_line;
  TrainingActions m_actions;
  std::vector<AppliedEdit> m_edits;  ///< edits of the run so far
};

}  // namespace headlight
