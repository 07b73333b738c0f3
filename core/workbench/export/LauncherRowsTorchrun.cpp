// SPDX-License-Identifier: GPL-3.0-or-later

// LauncherRows.h: torchrun.sh, several processes by PyTorch's torchrun.

#include "core/workbench/export/LauncherRows.h"
#include "core/workbench/export/LauncherText.h"

namespace headlight {
namespace {

std::string torchrunScript(const Experiment& experiment, const ClusterPlan& plan) {
  return "#!/bin/sh\n" +
         launcherTitle(experiment,
                       "in several processes, by PyTorch's torchrun. On several machines\n"
                       "# start it on each, with MASTER_ADDR the name of one of them") +
         besideConfig() + planCounts(plan) +
         launcherVariable("MASTER_ADDR", "localhost", "the machine of the rendezvous") +
         launcherVariable("MASTER_PORT", "29400", "a free port on it") +
         launcherVariable("RESTARTS", "3", "how often failed processes are restarted") +
         trainCommand(experiment, plan) +
         "exec torchrun --nnodes \"$MACHINES\" --nproc_per_node \"$PROCESSES\" "
         "--max_restarts \"$RESTARTS\" \\\n"
         "  --rdzv_id headlight --rdzv_backend c10d "
         "--rdzv_endpoint \"$MASTER_ADDR:$MASTER_PORT\" \\\n"
         "  --no_python -r 1 -t 1 \"$@\"\n";
}

}  // namespace

LauncherRow torchrunLauncher() {
  return {"torchrun.sh", "Trains in several processes, by PyTorch's torchrun.", "./torchrun.sh",
          torchrunScript};
}

}  // namespace headlight
