// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the command runs makes of the runs' logs and folders: one figure of their curves, and the
// weights that each has kept.

#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/figures/RunFigure.h"
#include "core/workbench/runs/FollowedRuns.h"

namespace headlight::cli {

struct RunFigureOptions {
  std::string path;                           ///< empty: no figure
  std::string quantity = {}, over = "steps";  ///< keys of RunCurves.h; empty: the default
  double smooth = kUsualSmoothing;            ///< over about so many steps
};

/// Writes the figure of at most kMostCompared of `runs`, the first, and warns of what is not in it.
/// Throws Failure: a quantity that no log has, a file that cannot be written.
void writeRunFigure(const RunFigureOptions& options, FollowedRuns& followed,
                    const std::vector<ListedRun>& runs, Terminal& terminal,
                    const std::stop_token& stop);

/// The paths of the weights of each run.
std::vector<std::vector<std::string>> keptWeights(const std::vector<ListedRun>& runs);

}  // namespace headlight::cli
