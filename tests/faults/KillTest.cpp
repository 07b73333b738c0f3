// SPDX-License-Identifier: GPL-3.0-or-later

// Training, and fetching a model, that is killed, at chosen calls and at random moments, and goes
// on until it is finished: the same weights, byte for byte, and the same lines in its logs.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "core/base/Random.h"
#include "core/workbench/hub/ModelFetch.h"
#include "tests/Effort.h"
#include "tests/faults/Saving.h"

namespace headlight::testing {
namespace {

/// More than enough: each time it comes a little further.
constexpr int kMostKills = 200;
// However great the effort.
constexpr long kMostRounds = 40, kMostMoments = 200;

class KillTest : public SavingTest {
 protected:
  /// Killed once, at each of `few` calls times the effort: writes that are half done among them.
  void killAtCalls(const Saving& saving, std::size_t few) {
    const Clean clean = runClean(saving);
    const SampleOfCalls sample = sampleOfCalls(clean.calls, 2);
    const auto count = std::min(few * static_cast<std::size_t>(testEffort()), clean.calls.size());
    for (std::size_t i = 0; i < count; ++i) {
      const long at = sample.at(i, count);
      const Call& call = clean.calls[static_cast<std::size_t>(at) - 1];
      SCOPED_TRACE("killed at call " + std::to_string(at) + ", " + call.name + " " +
                   call.path.string());
      const fs::path folder = begin(saving);
      EXPECT_TRUE(killedAt(saving, folder, at));
      expectFinishes(saving, clean, folder);
    }
    RecordProperty("kills", static_cast<int>(count));
  }

  /// Killed again and again, each time after some more calls, until it is finished.
  void killAgainAndAgain(const Saving& saving) {
    const Clean clean = runClean(saving);
    const long rounds = std::min(testEffort(), kMostRounds);
    int kills = 0;
    for (long round = 0; round < rounds; ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      RandomStream moments(streamKey({3, static_cast<std::uint64_t>(round)}));
      const auto most = static_cast<std::int64_t>(clean.calls.size());
      const fs::path folder = begin(saving);
      int killed = 0;
      while (killed < kMostKills && killedAt(saving, folder, most / 3 + moments.below(most / 3)))
        ++killed;
      EXPECT_LT(killed, kMostKills);
      EXPECT_EQ(differenceOf(clean.outputs, outputsOf(folder / "out")), "");
      kills += killed;
    }
    RecordProperty("kills", kills);
  }

  /// Killed from outside, once each time, wherever it happens to be.
  void killAtMoments(const Saving& saving, long few) {
    const Clean clean = runClean(saving);
    const long count = std::min(few * testEffort(), kMostMoments);
    RandomStream moments(streamKey({4}));
    int killed = 0;
    for (long i = 0; i < count; ++i) {
      // The beginning of a process, in which libraries are loaded, is not what is looked at.
      const std::chrono::duration<double> delay(clean.seconds * moments.uniform(0.4, 1.0));
      SCOPED_TRACE("after " + std::to_string(delay.count()) + " s");
      const fs::path folder = begin(saving);
      ProgramOptions inFolder;
      inFolder.folder = folder;
      inFolder.inChild = [&] { setVariables(saving.variables); };
      Program program(HEADLIGHT_CLI, saving.arguments, inFolder);
      std::this_thread::sleep_for(delay);
      program.send(SIGKILL);
      killed += program.finish().signal == SIGKILL;
      expectFinishes(saving, clean, folder);
    }
    RecordProperty("kills", killed);
  }

 private:
  /// False where it was finished before. Either way nothing is damaged.
  bool killedAt(const Saving& saving, const fs::path& folder, long at) {
    const auto outcome =
        runWithFault(folder, next(saving, folder), {at, 0, false, true}, saving.variables).outcome;
    expectWhole(folder);
    if (outcome.signal == SIGKILL) return true;
    expectOk(outcome);
    return false;
  }

  void expectFinishes(const Saving& saving, const Clean& clean, const fs::path& folder) {
    expectWhole(folder);
    expectOk(runWithFault(folder, next(saving, folder), {}, saving.variables).outcome);
    EXPECT_EQ(differenceOf(clean.outputs, outputsOf(folder / "out")), "");
  }
};

TEST_F(KillTest, TrainAtCalls) {
  killAtCalls(training(), 6);
}
TEST_F(KillTest, SweepAtCalls) {
  killAtCalls(sweeping(), 4);
}
TEST_F(KillTest, SequenceTrainAtCalls) {
  killAtCalls(sequenceTraining(), 4);
}

TEST_F(KillTest, TrainAgainAndAgain) {
  killAgainAndAgain(training());
}
TEST_F(KillTest, SweepAgainAndAgain) {
  killAgainAndAgain(sweeping());
}
TEST_F(KillTest, SequenceTrainAgainAndAgain) {
  killAgainAndAgain(sequenceTraining());
}

TEST_F(KillTest, TrainAtRandomMoments) {
  killAtMoments(training(), 2);
}
TEST_F(KillTest, SweepAtRandomMoments) {
  killAtMoments(sweeping(), 1);
}
TEST_F(KillTest, SequenceTrainAtRandomMoments) {
  killAtMoments(sequenceTraining(), 2);
}

TEST_F(KillTest, FetchAtCalls) {
  if (!canFetch()) GTEST_SKIP() << "built without libcurl";
  killAtCalls(fetching(), 10);
}
TEST_F(KillTest, FetchOverACopyAtCalls) {
  if (!canFetch()) GTEST_SKIP() << "built without libcurl";
  killAtCalls(fetchingOverACopy(), 10);
}
TEST_F(KillTest, FetchAgainAndAgain) {
  if (!canFetch()) GTEST_SKIP() << "built without libcurl";
  killAgainAndAgain(fetching());
}

}  // namespace
}  // namespace headlight::testing
