// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a run's folder tells, read once. Of one that goes on: RunFollower.h.

#include <filesystem>

#include "core/base/Result.h"
#include "core/config/Experiment.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

struct RecordedRun {
  std::filesystem::path folder;
  Experiment experiment;
  RunHistory history;
  std::filesystem::path last, best;  ///< checkpoints; empty where there is none
  bool finished = false;             ///< its last epoch was validated
  bool held = false;                 ///< somebody trains it just now
};

/// Reads config.json and the logs; writes nothing and opens no data. Errors: NotFound where there
/// is no run, InvalidConfig.
Result<RecordedRun> readRecordedRun(const std::filesystem::path& folder);

/// The run so far as one config: with every mask edit at its step, so that its headless replay ends
/// in the same weights.
Experiment replayExperiment(const RecordedRun& run);

}  // namespace headlight
