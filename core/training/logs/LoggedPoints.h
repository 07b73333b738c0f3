// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lines of metrics.jsonl (MetricsLog.h) as the points that they were. A line from elsewhere may say
// anything: numbers that are none are NaN.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/training/logs/TrainingTypes.h"

namespace headlight {

/// The type of the line that says how good the starting weights were.
inline constexpr const char* kStartLine = "start";
/// Its `type`; empty where it says none.
std::string loggedType(const Json& line);
StepPoint loggedStep(const Json& line, std::int64_t step);
EpochPoint loggedEpoch(const Json& line, std::int64_t step);
/// For the line before the first step: the weights that the run began with.
EpochPoint loggedStart(const Json& line);
/// `heads`: of every layer of the model; nothing where the measurement is of another shape.
/// HeadPoint::images is not logged: 0.
std::optional<HeadPoint> loggedHeads(const Json& line, std::int64_t step,
                                     const std::vector<int>& heads);

}  // namespace headlight
