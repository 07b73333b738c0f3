// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The weights in the folder of a run, and the masks that were in force with them. Reads only, as
// RunFollower does. No torch type here.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Experiment.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

class ModelSnapshot;

/// Weights that a run has kept.
struct RunCheckpoint {
  std::filesystem::path
      path;                ///< its name: best.safetensors, last.safetensors, epoch-….safetensors
  std::int64_t epoch = 0;  ///< of those kept every few epochs; else 0
  bool operator==(const RunCheckpoint&) const = default;
};
/// For the folder of a run: the best, the last, then the epochs', newest first; those that are
/// there and are files.
std::vector<RunCheckpoint> checkpointsIn(const std::filesystem::path& folder);

/// The weights of last.safetensors, to be looked through. Errors: those of reading a checkpoint.
Result<std::shared_ptr<const ModelSnapshot>> checkpointWeights(const std::filesystem::path& folder);

/// The scheme in force at `step` of a run that began as `experiment` says, by the edits that its
/// folder tells of; one that does not fit is passed over. Errors: masks that are none.
Result<MaskScheme> masksAtStep(const Experiment& experiment, const std::vector<AppliedEdit>& edits,
                               std::int64_t step);

}  // namespace headlight
