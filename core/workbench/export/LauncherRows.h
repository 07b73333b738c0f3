// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The launchers behind Launchers.h. A launcher is one row with its function, in a .cpp of its own
// (LauncherRowsNAME.cpp), and its name in the table at the end of this file. No torch type here.

#include <array>
#include <string>

#include "core/config/Experiment.h"
#include "core/workbench/export/ClusterPlan.h"

namespace headlight {

struct LauncherRow {
  std::string name;     ///< the file: "torchrun.sh"
  std::string help;     ///< what it starts, for the window and the help: a sentence
  std::string command;  ///< that a person types in the folder: "./torchrun.sh"
  /// A script for any POSIX shell; LauncherText.h has its parts.
  std::string (*text)(const Experiment&, const ClusterPlan&) = nullptr;
};

// The table, in the order in which programs list the launchers. The first is the one by which an
// exported folder is recognized. A launcher takes a line in each of the two lists.

LauncherRow aloneLauncher();
LauncherRow torchrunLauncher();
LauncherRow mpirunLauncher();
LauncherRow slurmLauncher();

inline constexpr std::array kLauncherRows{
    aloneLauncher,
    torchrunLauncher,
    mpirunLauncher,
    slurmLauncher,
};

}  // namespace headlight
