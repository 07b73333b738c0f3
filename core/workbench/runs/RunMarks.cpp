// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RunMarks.h"

#include <cmath>
#include <optional>

#include "core/workbench/runs/RunClock.h"

namespace headlight {

std::vector<RunMark> makeRunMarks(const RunHistory& history, RunAxis axis) {
  std::optional<RunClock> clock;
  if (axis != RunAxis::Step) clock.emplace(history, axis);
  if (clock && clock->isEmpty()) return {};
  std::vector<RunMark> marks;
  for (const AppliedEdit& edit : history.edits) {
    const auto step = static_cast<double>(edit.step);
    const double key = clock ? clock->at(step) : step;
    if (std::isfinite(key)) marks.push_back({key, edit.edit.label});
  }
  return marks;
}

}  // namespace headlight
