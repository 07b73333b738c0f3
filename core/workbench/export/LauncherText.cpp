// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/export/LauncherText.h"

#include <algorithm>

#include "core/base/ShellText.h"
#include "core/config/DatasetKinds.h"

namespace headlight {
namespace {

/// One line of a comment, whatever the name holds.
std::string inComment(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  return text;
}

}  // namespace

std::string launcherTitle(const Experiment& experiment, const std::string& how) {
  return "# Trains \"" + inComment(experiment.name) + "\" " + how +
         ".\n# Arguments are added to the command of headlight-cli: --training.epochs 3\n";
}

std::string besideConfig() {
  return "cd \"$(dirname \"$0\")\" || exit 1\n" + requireConfigHere();
}

std::string requireConfigHere() {
  return "[ -f config.json ] || { echo \"config.json is not in $PWD\" >&2; exit 1; }\n";
}

std::string launcherVariable(const std::string& name, const std::string& value,
                             const std::string& what) {
  std::string line = name;
  line.append("=${").append(name).append(":-");
  line.append(value.empty() ? "" : shellQuoted(value)).append("}");
  line.resize(std::max<std::size_t>(line.size() + 2, 36), ' ');
  return line.append("# ").append(what).append("\n");
}

std::string planCounts(const ClusterPlan& plan) {
  return launcherVariable("MACHINES", std::to_string(plan.machines), "machines") +
         launcherVariable("PROCESSES", std::to_string(plan.processes), "processes on each");
}

std::string trainCommand(const Experiment& experiment, const ClusterPlan& plan,
                         const std::string& more) {
  const bool onDisk = !isDrawnData(experiment.data.dataset);
  std::string lines = launcherVariable("HEADLIGHT", plan.program, "the program");
  lines += launcherVariable("RUN", plan.runFolder, "run folder; an existing run resumes");
  if (onDisk) lines += launcherVariable("DATA", "", "data folder; empty: as in config.json");
  lines += "set -- \"$HEADLIGHT\" train config.json --run \"$RUN\" --resume-or-start";
  if (onDisk) lines += " ${DATA:+--data.path \"$DATA\"}";
  return lines + more + " \"$@\"\n";
}

}  // namespace headlight
