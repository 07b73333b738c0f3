// SPDX-License-Identifier: GPL-3.0-or-later

// SweepDesign.h: what a sweep's results are compared with, and over how many seeds they go.

#include <algorithm>

#include "core/base/Translation.h"
#include "core/workbench/sweeps/SweepDesign.h"

namespace headlight {

SweepReference sweepReference(const SweepPlan& plan, const std::vector<SweepRow>& rows) {
  const bool alike = !rows.empty() && rows.front().classes > 0 &&
                     std::all_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
                       return row.classes == rows.front().classes;
                     });
  if (plan.ofSequences() || plan.task() != Task::Classify || !alike) return {};
  return {1.0 / static_cast<double>(rows.front().classes), true};
}

double SweepCurves::drawnKey(std::size_t index, double key) const {
  constexpr double kShare = 0.6;  ///< of the room of a name
  if (!ofNames() || series.size() < 2) return key;
  const auto count = static_cast<double>(series.size());
  return key + kShare * ((static_cast<double>(index) + 0.5) / count - 0.5);
}

std::string sweepQuantityTitle(const SweepPlan& plan, const SweepCurves& curves) {
  return sweepValueTitle(plan) + ", " + curves.seeds;
}

std::string sweepSeedsText(const std::vector<SweepRow>& rows) {
  std::int64_t fewest = rows.empty() ? 0 : rows.front().runs, most = fewest;
  for (const SweepRow& row : rows) {
    fewest = std::min(fewest, row.runs);
    most = std::max(most, row.runs);
  }
  if (most < 2) return tr("one seed");
  const std::string text =
      tr("mean ± sample deviation over ") + std::to_string(most) + tr(" seeds");
  return fewest < 2 ? text + tr("; without an interval: one seed") : text;
}

}  // namespace headlight
