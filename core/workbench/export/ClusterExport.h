// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An experiment as a folder that trains elsewhere: config.json with masks and edits, the weights
// that it begins and learns from, and the launchers. No torch type here.

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Experiment.h"
#include "core/workbench/export/Launchers.h"

namespace headlight {

struct ClusterExport {
  std::filesystem::path folder;  ///< whole
  Experiment experiment;         ///< as config.json has it
  std::vector<LauncherScript> launchers;
};

/// The experiment with the data where the plan says that they lie.
Experiment plannedExperiment(Experiment experiment, const ClusterPlan& plan);

/// Makes `folder` and writes into it. An earlier export there is replaced; what a launcher trained
/// below it stays. Errors: InvalidConfig of the plan, InvalidArgument where `folder` is a run's or
/// has a config.json that is not of an export, weights that cannot be read, Io.
Result<ClusterExport> exportForCluster(const Experiment& experiment, const ClusterPlan& plan,
                                       const std::filesystem::path& folder);

}  // namespace headlight
