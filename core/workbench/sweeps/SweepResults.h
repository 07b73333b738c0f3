// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a sweep keeps in its folder beside the tables, so that it can go on. Internal.

#include <map>
#include <optional>
#include <string>

#include "core/base/files/OpenFolder.h"
#include "core/workbench/sweeps/Sweep.h"

namespace headlight {

/// For the validations of a finished run: top-1, or bits; `training` is of sequences alone.
struct RunResult {
  double best = 0, last = 0, training = 0;
  // Only for sequences; 0: not recorded.
  double stepsPerSecond = 0;
  std::int64_t peakBytes = 0;
};

/// Whether the run in a folder was trained to its end, and saying so, with the steps that it took.
bool isFinished(const OpenFolder& run);
void markFinished(const OpenFolder& run, std::int64_t steps);

/// What a run's folder says of its training that ended in numbers that are none; nothing where it
/// did not. `clearDiverged`: it is tried again.
std::optional<Error> divergenceIn(const OpenFolder& run);
void markDiverged(const OpenFolder& run, const Error& error);
void clearDiverged(const OpenFolder& run);

/// From the run's metrics.csv, which has a row for each of its `epochs`, or for each validation.
/// Throws Failure naming it.
RunResult imageResult(const OpenFolder& run, std::int64_t epochs, const std::string& score);
RunResult sequenceResult(const OpenFolder& run, const SequenceTrainingConfig& training);

/// Images per second by variant, as last measured; none where nothing was. Throws Failure.
using SpeedsByVariant = std::map<std::string, double>;
SpeedsByVariant readSpeeds(const OpenFolder& output);
void writeSpeeds(const OpenFolder& output, const SpeedsByVariant& speeds);

}  // namespace headlight
