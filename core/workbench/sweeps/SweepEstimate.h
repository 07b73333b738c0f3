// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How long a sweep will take, before it is begun, and what of one is there already. No torch type.

#include <filesystem>
#include <stop_token>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/sweeps/Sweep.h"

namespace headlight {

struct SweepEstimate {
  std::int64_t runs = 0, left = 0;   ///< of the plan; of those, not finished in the folder
  std::vector<double> secondsOfRun;  ///< by variant; 0 where nothing is left of it
  double seconds = 0;                ///< of all that are left, one after the other
};

/// Trains a few small steps of every variant that is left, on its own data, and counts up: steps of
/// all epochs and validations, without measuring speeds at the end and without what a run that was
/// interrupted has done. Variants whose steps are alike are measured once. Blocks; nothing is
/// written. Errors: Canceled, what keeps a variant from being trained (naming it).
Result<SweepEstimate> estimateSweep(const SweepPlan& plan, const std::filesystem::path& output,
                                    const ProgressCallback& progress, std::stop_token stop);

/// What the runs in `output` say, whoever trained them; no rows where there is none. Errors:
/// InvalidArgument for a run of other settings, those of files.
Result<SweepReport> sweepReport(const SweepPlan& plan, const std::filesystem::path& output);

}  // namespace headlight
