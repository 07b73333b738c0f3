#pragma once
// What a sweep keeps in its folder beside the tables, so that it can go on. Internal.

#include <map>
#include <string>

#include "core/workbench/Sweep.h"

namespace headlight {

/// Accuracies of a finished run.
struct RunResult {
  double bestTop1 = 0, lastTop1 = 0;
};

/// Whether a run was trained to its end, and saying so, with the steps that it took.
bool isFinished(const SweepRun& run);
void markFinished(const SweepRun& run, std::int64_t steps);

/// From the run's metrics.csv, which has a row for every epoch. Throws Failure naming it.
RunResult resultOf(const SweepRun& run);

/// Images per second by variant, as last measured; none where nothing was. Throws Failure.
using SpeedsByVariant = std::map<std::string, double>;
SpeedsByVariant readSpeeds(const std::filesystem::path& output);
void writeSpeeds(const std::filesystem::path& output, const SpeedsByVariant& speeds);

}  // namespace headlight
