// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where runs stand, as the command watch tells it.

#include <string>
#include <vector>

#include "core/config/Parameter.h"
#include "core/workbench/runs/RunFollower.h"

namespace headlight::cli {

struct WatchedRun {
  std::string label;  ///< what tells it from the others
  std::string folder;
  RunStatus standing;
};

/// A line that names the columns, and a line a run.
std::vector<std::string> watchTable(const std::vector<WatchedRun>& runs);

/// Counts and numbers that are not known are null.
Json watchJson(const WatchedRun& run);

}  // namespace headlight::cli
