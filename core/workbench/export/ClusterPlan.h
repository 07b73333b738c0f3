// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where and with how much an exported experiment is to be trained: what its launchers ask for. No
// torch type here.

#include <cstdint>
#include <string>

#include "core/config/Parameter.h"

namespace headlight {

struct ClusterPlan {
  std::int64_t machines = 1;
  std::int64_t processes = 2;             ///< on each machine
  std::int64_t cores = 4;                 ///< of each process
  double hours = 24;                      ///< time limit of a Slurm job, which then goes on anew
  std::string dataFolder;                 ///< there; empty: as the experiment says
  std::string program = "headlight-cli";  ///< there
  std::string runFolder = "run";          ///< from the exported folder, or a whole path
};

/// For flags, the form and the checks. Texts with line breaks are refused: they go into scripts.
const ParameterTable& clusterParameters();

}  // namespace headlight
