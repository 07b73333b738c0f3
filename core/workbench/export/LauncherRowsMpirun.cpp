// SPDX-License-Identifier: GPL-3.0-or-later

// LauncherRows.h: mpirun.sh, several processes by the mpirun of Open MPI or MPICH.

#include "core/workbench/export/LauncherRows.h"
#include "core/workbench/export/LauncherText.h"

namespace headlight {
namespace {

std::string mpirunScript(const Experiment& experiment, const ClusterPlan& plan) {
  return "#!/bin/sh\n" +
         launcherTitle(experiment, "in several processes, by the mpirun of Open MPI or MPICH") +
         besideConfig() + planCounts(plan) +
         launcherVariable("HOSTS", "", "a file with one line per machine; empty: this machine") +
         trainCommand(experiment, plan) +
         "all=$((MACHINES * PROCESSES))\n"
         "if mpirun --version 2>&1 | grep -q 'Open MPI'; then\n"
         "  # Open MPI would give each process one core only.\n"
         "  exec mpirun -np \"$all\" --bind-to none ${HOSTS:+--hostfile \"$HOSTS\"} \"$@\"\n"
         "fi\n"
         "exec mpirun -np \"$all\" -ppn \"$PROCESSES\" ${HOSTS:+-f \"$HOSTS\"} \"$@\"\n";
}

}  // namespace

LauncherRow mpirunLauncher() {
  return {"mpirun.sh", "Trains in several processes, by the mpirun of Open MPI or MPICH.",
          "./mpirun.sh", mpirunScript};
}

}  // namespace headlight
