// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/export/Launchers.h"

#include "core/base/Text.h"
#include "core/workbench/export/LauncherRows.h"

namespace headlight {

std::vector<LauncherScript> launcherScripts(const Experiment& experiment, const ClusterPlan& plan) {
  std::vector<LauncherScript> scripts;
  for (const auto launcher : kLauncherRows) {
    LauncherRow row = launcher();
    const std::string text = row.text(experiment, plan);
    scripts.push_back({std::move(row.name), text, std::move(row.command), std::move(row.help)});
  }
  return scripts;
}

std::string launcherNames() {
  std::string names;
  for (const auto launcher : kLauncherRows)
    addTo(names, launcher().name);
  return names;
}

}  // namespace headlight
