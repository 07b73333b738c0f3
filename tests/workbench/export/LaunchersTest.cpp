// SPDX-License-Identifier: GPL-3.0-or-later

// The table of launchers: every row is a script for any shell that trains the exported config.

#include "core/workbench/export/Launchers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "core/base/files/Files.h"
#include "tests/TemporaryFolder.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

std::vector<LauncherScript> hardScripts() {
  Experiment experiment = tinyExperiment();
  experiment.name = "it's\n\"$(touch here)\"";
  ClusterPlan plan;
  plan.program = "/opt/it's here/headlight-cli";
  return launcherScripts(experiment, plan);
}

TEST(Launchers, AreScriptsThatAShellReads) {
  const TemporaryFolder folder;
  for (const LauncherScript& launcher : hardScripts()) {
    EXPECT_TRUE(launcher.text.starts_with("#!/bin/sh\n")) << launcher.name;
    EXPECT_NE(launcher.text.find("[ -f config.json ]"), std::string::npos) << launcher.name;
    EXPECT_NE(launcher.text.find(" train config.json --run \"$RUN\" --resume-or-start"),
              std::string::npos)
        << launcher.name;
    ASSERT_TRUE(writeFileAtomically(folder / launcher.name, launcher.text));
    const std::string check = "sh -n '" + (folder / launcher.name).string() + "'";
    EXPECT_EQ(std::system(check.c_str()), 0) << launcher.name;
  }
}

TEST(Launchers, HaveNamesAndWordsOfTheirOwn) {
  std::set<std::string> names, helps;
  std::string all;
  for (const LauncherScript& launcher : hardScripts()) {
    EXPECT_TRUE(names.insert(launcher.name).second) << launcher.name;
    EXPECT_TRUE(helps.insert(launcher.help).second) << launcher.help;
    EXPECT_TRUE(launcher.help.ends_with(".")) << launcher.name;
    EXPECT_TRUE(launcher.command.ends_with(launcher.name)) << launcher.command;
    all += (all.empty() ? "" : ", ") + launcher.name;
  }
  EXPECT_EQ(launcherNames(), all);
  EXPECT_EQ(all, "run.sh, torchrun.sh, mpirun.sh, slurm.sbatch");
}

}  // namespace
}  // namespace headlight
