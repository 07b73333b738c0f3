// SPDX-License-Identifier: GPL-3.0-or-later

// The start of a run in several processes, from their beginning to the first step: whoever is
// killed, hangs or is told to stop there, the others end within the time-out and say which it was;
// and strangers at the port where they meet change nothing.

#include <csignal>
#include <random>
#include <thread>

#include "tests/Effort.h"
#include "tests/Strangers.h"
#include "tests/cli/Job.h"
#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// What is allowed beyond the time-out, on a machine that has other things to do.
constexpr std::chrono::seconds kTimeout{8}, kGrace{25};

class StartCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    configure(80, kTimeout);  // goes on for longer than it takes to begin
  }

  void configure(int epochs, std::chrono::seconds timeout) {
    auto config = tinyTraining();
    config["threads"] = 1;
    config["training"]["epochs"] = epochs;
    config["training"]["timeout"] = timeout.count();
    m_config = write("config.json", config);
  }

  Arguments command(const std::string& folder) const {
    return {"train", m_config, "--run", folder, "--resume-or-start", "--json"};
  }

  /// How long a start takes that nothing happens to.
  Milliseconds startOf(int count, const std::string& folder) {
    const auto begun = Clock::now();
    Job job(count, command(folder), options());
    EXPECT_TRUE(job.rank(0).waitForLine(isStep));
    const auto took = std::chrono::duration_cast<Milliseconds>(Clock::now() - begun);
    for (const Outcome& outcome : job.finish())
      EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    return took;
  }

  /// Of rank `which` a signal comes some time after the beginning. All others end in time; theirs
  /// are the outcomes, and the slowest is noted.
  std::vector<Outcome> afterSignal(int signal, int which, int count, const Arguments& arguments,
                                   Milliseconds later) {
    Job job(count, arguments, options());
    std::this_thread::sleep_for(later);
    job.rank(which).send(signal);
    const auto sent = Clock::now();
    std::vector<Outcome> all(static_cast<std::size_t>(count));
    for (int rank = 0; rank < count; ++rank)
      if (rank != which) all[static_cast<std::size_t>(rank)] = job.rank(rank).finish();
    const auto took = Clock::now() - sent;
    EXPECT_LT(took, kTimeout + kGrace);
    m_slowest = std::max(m_slowest, std::chrono::duration_cast<Milliseconds>(took));
    if (signal == SIGSTOP) job.rank(which).send(SIGKILL);
    all[static_cast<std::size_t>(which)] = job.rank(which).finish();
    return all;
  }

  /// The first that is left says which process it was.
  static void expectNamed(const std::vector<Outcome>& all, int which, Milliseconds later) {
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      if (rank != static_cast<std::size_t>(which)) {
        EXPECT_EQ(all[rank].exitCode, 5)
            << "rank " << rank << ", after " << later.count() << " ms: " << all[rank].err;
      }
    const Outcome& speaker = all[which == 0 ? 1 : 0];
    EXPECT_NE(speaker.err.find("process " + std::to_string(which)), std::string::npos)
        << "after " << later.count() << " ms: " << speaker.err;
    EXPECT_EQ(speaker.err.find("ended: process"), std::string::npos) << speaker.err;
  }

  void report(int signals) const {
    std::printf("%d signals, the slowest end %.1f s after one\n", signals,
                static_cast<double>(m_slowest.count()) / 1000);
  }

  fs::path m_config;
  Milliseconds m_slowest{0};
};

/// Killed or stopped at random moments of the start, one of two and of three processes; a run
/// that begins anew then ends in the weights that it would have had.
TEST_F(StartCliTest, WhoeverIsKilledOrHangsIsNamedInTime) {
  std::mt19937 random(3);
  int signals = 0;
  for (const int count : {2, 3}) {
    const std::string whole = "whole" + std::to_string(count);
    const auto start = startOf(count, whole);
    for (const int signal : {SIGKILL, SIGSTOP})
      for (long i = 0; i < testEffort(); ++i) {
        const int which = static_cast<int>((i + signals) % count);
        const Milliseconds later(random() % static_cast<unsigned>(start.count()));
        const std::string folder = "run" + std::to_string(++signals);
        const auto all = afterSignal(signal, which, count, command(folder), later);
        ASSERT_NE(all[static_cast<std::size_t>(which)].exitCode, 0) << "the run was over";
        expectNamed(all, which, later);
        if (i > 0 || count > 2 || signal == SIGSTOP) continue;
        startOf(count, folder);
        EXPECT_EQ(readTensors(path(folder) / "last.safetensors"),
                  readTensors(path(whole) / "last.safetensors"));
      }
  }
  report(signals);
}

TEST_F(StartCliTest, StoppingOneProcessStopsAll) {
  const auto start = startOf(2, "whole");
  std::mt19937 random(4);
  int signals = 0;
  for (long i = 0; i < 2 * testEffort(); ++i) {
    const int which = static_cast<int>(i % 2);
    const Milliseconds later(random() % static_cast<unsigned>(start.count()));
    const auto all =
        afterSignal(SIGTERM, which, 2, command("run" + std::to_string(++signals)), later);
    const Outcome& reported = all[static_cast<std::size_t>(which)];
    const Outcome& other = all[static_cast<std::size_t>(1 - which)];
    // Before it listens to signals it is killed by one.
    EXPECT_TRUE(reported.exitCode == 128 + SIGTERM || reported.signal == SIGTERM)
        << reported.exitCode << " after " << later.count() << " ms: " << reported.err;
    EXPECT_TRUE(other.exitCode == 4 || other.exitCode == 5)
        << other.exitCode << " after " << later.count() << " ms: " << other.err;
  }
  report(signals);
}

/// A process that waits for one that never comes ends soon when it is told to: process 0 where it
/// listens, another where whoever listens does not answer.
TEST_F(StartCliTest, AWaitForOthersIsInterrupted) {
  configure(6, std::chrono::seconds(250));
  for (const int rank : {0, 1}) {
    const int port = freePort();
    const int deaf = rank == 1 ? deafListener(port) : -1;
    Job job;
    job.add(Job::variablesOf(rank, 2, port), {"train", m_config, "--run", "run"}, options());
    int peer = -1;
    for (const auto until = Clock::now() + std::chrono::seconds(60);
         peer < 0 && Clock::now() < until; std::this_thread::sleep_for(Milliseconds(20)))
      peer = rank == 0 ? connectionTo(port) : ::accept(deaf, nullptr, nullptr);
    ASSERT_GE(peer, 0);
    const auto sent = Clock::now();
    job.rank(0).send(SIGTERM);
    const Outcome outcome = job.rank(0).finish();
    EXPECT_LT(Clock::now() - sent, std::chrono::seconds(60));
    EXPECT_EQ(outcome.exitCode, 128 + SIGTERM) << outcome.err;
    EXPECT_FALSE(fs::exists(path("run")));
    ::close(peer);
    if (deaf >= 0) ::close(deaf);
  }
}

TEST_F(StartCliTest, StrangersAtThePortChangeNothing) {
  configure(6, std::chrono::seconds(60));
  startOf(2, "whole");
  const int port = freePort();
  const Strangers strangers(port);
  Job job(2, command("visited"), options(), port);
  for (const Outcome& outcome : job.finish())
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_GT(strangers.count(), 50);
  EXPECT_EQ(readTensors(path("visited/last.safetensors")),
            readTensors(path("whole/last.safetensors")));
}

/// Two know of a third that failed; neither passes on what the other said of it.
TEST_F(StartCliTest, WhatOneSaysOfAnotherIsNotPassedOn) {
  const int port = freePort();
  Job job;
  for (int rank = 0; rank < 3; ++rank)
    job.add(Job::variablesOf(rank, 3, port),
            {"train", rank < 2 ? m_config : fs::path("missing.json"), "--run", "run"}, options());
  const auto all = job.finish();
  expectError(all[0], 5, {"process 2 of 3", "ended:", "missing.json"});
  EXPECT_EQ(all[0].err.find("process 1"), std::string::npos) << all[0].err;
  EXPECT_EQ(all[1].err + all[2].err, "");
}

TEST_F(StartCliTest, WhoeverListensThereInsteadOfProcess0IsSaidSo) {
  const int port = freePort(), deaf = deafListener(port);
  ASSERT_GE(deaf, 0);
  Job job;
  job.add(Job::variablesOf(1, 2, port), {"train", m_config, "--run", "run"}, options());
  const auto begun = Clock::now();
  expectError(job.finish()[0], 5, {"found no process 0", "does not answer"});
  EXPECT_LT(Clock::now() - begun, kTimeout + kGrace);
  ::close(deaf);
}

}  // namespace
}  // namespace headlight::testing
