// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How this process was started: alone, or as one of several that train together. torchrun, mpirun
// (Open MPI and MPICH) and srun each say so in the environment, in words of their own.

#include <functional>
#include <optional>
#include <string>

#include "core/base/Result.h"

namespace headlight {

struct Launch {
  int rank = 0;  ///< of this process, from 0
  int count = 1;
  int localRank = 0;   ///< among those of this machine
  int localCount = 1;  ///< of this machine
  std::string host;    ///< where process 0 (or the launcher) keeps the store that all meet at
  int port = 0;
  bool storeIsThere = false;  ///< the launcher keeps it: torchrun
  std::string attempt;        ///< which start of the same job this is; torchrun counts restarts
  std::string launcher;       ///< for messages; empty: started alone

  bool alone() const { return count == 1; }
  /// Where all processes run on one machine.
  bool onOneMachine() const { return localCount == count; }
};

/// The value of an environment variable.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT (torchrun's, and anybody's who sets them), then
/// Open MPI's, Slurm's and MPICH's own. MASTER_ADDR and MASTER_PORT, where set, always say where to
/// meet; otherwise that is the first machine of the job, at a port that is a function of the job.
/// `parent`: the process that started this one, which is the same for all that MPICH starts on one
/// machine. Errors (InvalidConfig): a variable that is missing or makes no sense; it is named.
Result<Launch> launchFrom(const Environment& environment, long parent);
/// For this process.
Result<Launch> launchOfThisProcess();

/// The first machine of a Slurm node list: "gpu[07-09,12],cpu1" begins with gpu07.
std::string firstNode(const std::string& nodes);
/// How many tasks Slurm gives machine number `node`, as "4(x2),3" says: 4, 4, 3. Nothing: it does
/// not say so.
std::optional<int> tasksOfNode(const std::string& tasks, int node);

}  // namespace headlight
