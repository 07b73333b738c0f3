// SPDX-License-Identifier: GPL-3.0-or-later

// A run in a process of its own, killed with SIGKILL wherever it happens to be, several times over.

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "core/base/Random.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

constexpr const char* kFolderVariable = "HEADLIGHT_TEST_RUN_FOLDER";

Experiment longerExperiment() {
  Experiment experiment = tinyExperiment();
  experiment.training.epochs = 12;
  experiment.training.checkpointSteps = 1;
  experiment.training.keepEvery = 3;
  return experiment;
}

/// What the other process does: begin or go on, to the end. Not a test by itself.
TEST(Child, DISABLED_Trains) {
  const char* folder = std::getenv(kFolderVariable);
  ASSERT_TRUE(folder);
  const bool begun = std::filesystem::exists(std::filesystem::path(folder) / "config.json");
  runToEnd(*(begun ? resume(folder) : begin(longerExperiment(), folder)));
}

pid_t startChild(const std::filesystem::path& folder) {
  ::setenv(kFolderVariable, folder.c_str(), 1);
  const pid_t child = ::fork();
  if (child != 0) return child;
  // Only exec follows the fork: LibTorch's threads do not survive one.
  ::execl("/proc/self/exe", "test_training", "--gtest_also_run_disabled_tests",
          "--gtest_filter=Child.DISABLED_Trains", "--gtest_brief=1", nullptr);
  ::_exit(127);
}

TEST(Resume, AfterKillsAtRandomMomentsTheWeightsAreTheSame) {
  TemporaryFolder folder;
  runToEnd(*begin(longerExperiment(), folder / "whole"));
  RandomStream moments(2024);
  int kills = 0, killed = 0, status = 0;
  for (bool finished = false; !finished;) {
    const pid_t child = startChild(folder / "killed");
    ASSERT_GT(child, 0);
    // The last of them may finish.
    if (kills < 5) {
      const auto config = folder / "killed/config.json";
      for (int i = 0; i < 2000 && !std::filesystem::exists(config); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::this_thread::sleep_for(std::chrono::milliseconds(30 + moments.below(150)));
      ::kill(child, SIGKILL);
      ++kills;
    }
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    finished = WIFEXITED(status);
    if (!finished) {
      ASSERT_EQ(WTERMSIG(status), SIGKILL);
      ++killed;
    }
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_GE(killed, 2) << "the run is too short for this test";
  expectSame(lastTensors(folder / "whole"), lastTensors(folder / "killed"));
  EXPECT_EQ(linesOf(folder / "whole/metrics.jsonl").size(),
            linesOf(folder / "killed/metrics.jsonl").size());
  for (const char* name :
       {"best.safetensors", "epoch-0003.safetensors", "epoch-0012.safetensors"}) {
    const auto a = readSafetensors(folder / "whole" / name);
    const auto b = readSafetensors(folder / "killed" / name);
    ASSERT_TRUE(a && b) << name;
    expectSame({a->tensors.begin(), a->tensors.end()}, {b->tensors.begin(), b->tensors.end()});
  }
}

}  // namespace
}  // namespace headlight
