// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The scripts that train an exported experiment: alone, by torchrun, by mpirun, by Slurm. To add
// one: LauncherRows.h. No torch type here.

#include <string>
#include <vector>

#include "core/config/Experiment.h"
#include "core/workbench/export/ClusterPlan.h"

namespace headlight {

struct LauncherScript {
  std::string name;     ///< "torchrun.sh"
  std::string text;     ///< for any POSIX shell; beside config.json
  std::string command;  ///< that a person types there: "./torchrun.sh"
  std::string help;     ///< what it starts: a sentence
};

/// One for each row of LauncherRows.h. Each goes on with the run where there is one.
/// What the plan says can be changed where they are started, by variables that each names at its
/// beginning; arguments are added to the command of headlight-cli.
std::vector<LauncherScript> launcherScripts(const Experiment& experiment, const ClusterPlan& plan);

/// The files that launcherScripts() gives: "run.sh, torchrun.sh, mpirun.sh, slurm.sbatch".
std::string launcherNames();

}  // namespace headlight
