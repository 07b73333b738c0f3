// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What sweep says and writes besides training: the plan with its time, and figures over a setting.

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/sweeps/SweepEstimate.h"

namespace headlight::cli {

/// Runs and expected time of every variant.
void reportPlan(const SweepPlan& plan, const SweepEstimate& estimate, Terminal& terminal);

/// sweep-over-PATH.csv, .png and .pdf of each into `output`, and says so. Throws Failure: no such
/// axis, Io.
void writeCurves(const SweepPlan& plan, const SweepReport& report,
                 const std::vector<std::string>& axes, const std::filesystem::path& output,
                 Terminal& terminal);

}  // namespace headlight::cli
