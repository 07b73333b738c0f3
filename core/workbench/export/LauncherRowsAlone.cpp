// SPDX-License-Identifier: GPL-3.0-or-later

// LauncherRows.h: run.sh, one process.

#include "core/workbench/export/LauncherRows.h"
#include "core/workbench/export/LauncherText.h"

namespace headlight {
namespace {

std::string aloneScript(const Experiment& experiment, const ClusterPlan& plan) {
  return "#!/bin/sh\n" + launcherTitle(experiment, "in one process") + besideConfig() +
         trainCommand(experiment, plan) + "exec \"$@\"\n";
}

}  // namespace

LauncherRow aloneLauncher() {
  return {"run.sh", "Trains in one process.", "./run.sh", aloneScript};
}

}  // namespace headlight
