// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The mask edits of a run as marks along an axis of its curves. No torch type here.

#include <string>
#include <vector>

#include "core/workbench/runs/RunCurves.h"

namespace headlight {

struct RunMark {
  double key = 0;    ///< on the axis
  std::string text;  ///< "hard 3×3 on layer 2"
  bool operator==(const RunMark&) const = default;
};

/// In their order; without those whose epoch or time is not known.
std::vector<RunMark> makeRunMarks(const RunHistory& history, RunAxis axis);

}  // namespace headlight
