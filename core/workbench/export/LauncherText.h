// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What launchers have in common: parts of a script for any POSIX shell. No torch type here.

#include <string>

#include "core/config/Experiment.h"
#include "core/workbench/export/ClusterPlan.h"

namespace headlight {

/// A comment with what the script trains, `how`, and that arguments are added.
std::string launcherTitle(const Experiment& experiment, const std::string& how);
/// Goes to the script's folder, which must hold config.json.
std::string besideConfig();
std::string requireConfigHere();
/// "NAME=${NAME:-value}  # what it is"
std::string launcherVariable(const std::string& name, const std::string& value,
                             const std::string& what);
/// MACHINES and PROCESSES, as the plan has them.
std::string planCounts(const ClusterPlan& plan);
/// The command of headlight-cli as the positional parameters, "$@"; `more` is added to it.
std::string trainCommand(const Experiment& experiment, const ClusterPlan& plan,
                         const std::string& more = {});

}  // namespace headlight
