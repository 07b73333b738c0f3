// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One run of a list that is kept. Internal to core/workbench.

#include <chrono>

#include "core/workbench/runs/RunList.h"

namespace headlight {

struct FollowedRun {
  explicit FollowedRun(ListedRun listed) : row(std::move(listed)), follower(row.folder) {}

  ListedRun row;
  RunFollower follower;
  bool compared = false;
  bool changed = true, grown = false;  ///< since the last news
  RunHistory history;  ///< where it is compared; of a very long run every second, …
  std::chrono::steady_clock::time_point lookedAt;

  /// From the next look on; then all of its log is read again, for its points were handed out.
  void setCompared(bool wanted);
  void poll(const std::stop_token& stop);
  ListedRun rowNow() const;  ///< how old its newest line is: of now
};

}  // namespace headlight
