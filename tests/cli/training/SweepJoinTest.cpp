// SPDX-License-Identifier: GPL-3.0-or-later

// sweep --join: several real processes at one sweep, one that is killed, one that waits.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "tests/cli/Tensors.h"
#include "tests/cli/training/Sweeps.h"

namespace headlight::testing {
namespace {

/// The lock of a folder, held by nobody who trains.
class Holder {
 public:
  Holder(const fs::path& folder, int operation) {
    fs::create_directories(folder);
    m_file = ::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    EXPECT_EQ(::flock(m_file, operation | LOCK_NB), 0) << folder;
  }
  ~Holder() { release(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  void release() {
    if (m_file >= 0) ::close(m_file);
    m_file = -1;
  }

 private:
  int m_file = -1;
};

class SweepJoinTest : public SweepCliTest {
 protected:
  Arguments joined(const Arguments& more = {"--no-speed"}) const {
    Arguments arguments{"sweep", m_file, "--output", "out", "--json", "--join"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Outcome join() const { return run(joined()); }

  std::vector<Outcome> joinedBy(int count, const Arguments& more = {"--no-speed"}) const {
    std::vector<std::unique_ptr<Program>> workers;
    for (int i = 0; i < count; ++i)
      workers.push_back(std::make_unique<Program>(HEADLIGHT_CLI, joined(more), patient()));
    std::vector<Outcome> outcomes;
    for (const auto& worker : workers)
      outcomes.push_back(worker->finish());
    return outcomes;
  }

  ProgramOptions patient() const {
    ProgramOptions result = options();
    result.limit = std::chrono::seconds(300);
    return result;
  }

  static int countIn(const std::vector<Outcome>& outcomes, const std::string& kind) {
    int count = 0;
    for (const Outcome& outcome : outcomes)
      count += countOf(outcome, kind);
    return count;
  }

  void expectSameAs(const std::string& whole) const {
    EXPECT_EQ(readBytes(path("out/sweep.csv")), readBytes(path(whole) / "sweep.csv"));
    EXPECT_EQ(readBytes(path("out/sweep.md")), readBytes(path(whole) / "sweep.md"));
    for (const char* name : {"softmax/seed-1", "sch3/seed-1", "softmax/seed-2", "sch3/seed-2"})
      EXPECT_EQ(readTensors(path("out") / name / "last.safetensors"),
                readTensors(path(whole) / name / "last.safetensors"))
          << name;
  }

  void SetUp() override {
    SweepCliTest::SetUp();
    m_file = file();
  }

  fs::path m_file;
};

TEST_F(SweepJoinTest, EachRunIsTrainedOnceHoweverManyWorkThere) {
  expectOk(runTo("whole"));
  for (const int count : {2, 3}) {
    SCOPED_TRACE(std::to_string(count) + " workers");
    fs::remove_all(path("out"));
    const auto outcomes = joinedBy(count);
    for (const Outcome& outcome : outcomes) {
      expectOk(outcome);
      EXPECT_EQ(outcome.json()["runs"], 4);
      EXPECT_EQ(outcome.json()["rows"].size(), 2u);
      EXPECT_EQ(countOf(outcome, "begin") + countOf(outcome, "skipped"), 4);
    }
    EXPECT_EQ(countIn(outcomes, "begin"), 4);
    EXPECT_EQ(countIn(outcomes, "run"), 4);
    EXPECT_EQ(countIn(outcomes, "epoch"), 16);
    expectSameAs("whole");
  }
}

TEST_F(SweepJoinTest, OneOfThemMeasuresTheSpeedOnce) {
  const auto outcomes = joinedBy(2, {"--speed-batch", "4"});
  int measured = 0;
  for (const Outcome& outcome : outcomes) {
    expectOk(outcome);
    measured += outcome.json()["rows"][0]["images_per_second"].is_number();
  }
  EXPECT_EQ(measured, 1) << "the last to leave";
  const auto speeds = readBytes(path("out/speeds.json")), table = readBytes(path("out/sweep.csv"));
  EXPECT_NE(speeds.find("softmax"), std::string::npos);
  EXPECT_NE(speeds.find("sch3"), std::string::npos);
  expectOk(run(joined({"--speed-batch", "4"})));
  EXPECT_EQ(readBytes(path("out/speeds.json")), speeds) << "it is not measured again";
  EXPECT_EQ(readBytes(path("out/sweep.csv")), table);
}

TEST_F(SweepJoinTest, TheRunOfAKilledWorkerIsTakenOver) {
  expectOk(runTo("whole"));
  Program killed(HEADLIGHT_CLI, joined(), patient());
  ASSERT_TRUE(killed.waitForLine(atEvent("epoch", 2)));
  killed.send(SIGSTOP);  // in the middle of its first run, which it holds
  Program heir(HEADLIGHT_CLI, joined(), patient());
  ASSERT_TRUE(heir.waitForLine(atEvent("waiting", 1)));
  killed.send(SIGKILL);
  const Outcome death = killed.finish();
  EXPECT_EQ(death.signal, SIGKILL);
  EXPECT_EQ(countOf(death, "run"), 0);
  const Outcome outcome = heir.finish();
  expectOk(outcome);
  EXPECT_EQ(countOf(outcome, "run"), 4);
  EXPECT_NE(outcome.out.find("\"resumed\":true"), std::string::npos) << outcome.out;
  expectSameAs("whole");
}

TEST_F(SweepJoinTest, WaitsForRunsOfOthersAndTakesThemWhenTheyAreFree) {
  Holder other(path("out/softmax/seed-1"), LOCK_EX);
  Program worker(HEADLIGHT_CLI, joined(), patient());
  ASSERT_TRUE(worker.waitForLine(atEvent("waiting", 1)));
  EXPECT_TRUE(fs::exists(path("out/sweep.csv"))) << "of the three that are finished";
  EXPECT_FALSE(fs::exists(path("out/softmax/seed-1/config.json")));
  other.release();
  const Outcome outcome = worker.finish();
  expectOk(outcome);
  EXPECT_EQ(countOf(outcome, "run"), 4);
  EXPECT_EQ(countOf(outcome, "waiting"), 1) << "said once";
}

TEST_F(SweepJoinTest, AWorkerThatWaitsIsStoppedAtOnce) {
  const Holder other(path("out/softmax/seed-1"), LOCK_EX);
  Program worker(HEADLIGHT_CLI, joined(), patient());
  ASSERT_TRUE(worker.waitForLine(atEvent("waiting", 1)));
  const auto asked = std::chrono::steady_clock::now();
  worker.send(SIGINT);
  const Outcome outcome = worker.finish();
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(10));
  EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("3 of 4"), std::string::npos) << outcome.err;
}

TEST_F(SweepJoinTest, WithAndWithoutItDoNotMix) {
  const Arguments alone{"sweep", m_file, "--output", "out", "--no-speed"};
  {
    const Holder workers(path("out"), LOCK_SH);
    expectError(run(alone), 6, {"out", "--join"});
  }
  {
    const Holder sweep(path("out"), LOCK_EX);
    Arguments workers = alone;
    workers.push_back("--join");
    expectError(run(workers), 6, {"out", "without --join"});
  }
  EXPECT_FALSE(fs::exists(path("out/softmax/seed-1/config.json")));
  expectOk(join());
  // Where nothing is left, somebody who measures there is in nobody's way.
  const Holder measuring(path("out"), LOCK_EX);
  const Outcome late = join();
  expectOk(late);
  EXPECT_EQ(late.json()["runs"], 4);
}

TEST_F(SweepJoinTest, OtherSettingsAreRefused) {
  expectOk(join());
  const Arguments other{"sweep", m_file, "--output", "out", "--join", "--training.weight_decay",
                        "0.5"};
  expectError(run(other), 2, {"other settings", "training.weight_decay"});
}

TEST_F(SweepJoinTest, ARunThatDivergedIsNotTriedAgainByTheOthers) {
  json diverging = sweep();
  diverging["seeds"] = {1};
  diverging["variants"][1]["overrides"] = {{"training.learning_rate", 10},
                                           {"training.warmup_epochs", 0},
                                           {"training.weight_decay", 10},
                                           {"training.clip_gradient", 0},
                                           {"training.epochs", 60}};
  write("sweep.json", diverging);
  const Outcome first = join();
  EXPECT_EQ(first.exitCode, 1) << first.err;
  EXPECT_EQ(countOf(first, "begin"), 2);
  ASSERT_TRUE(fs::exists(path("out/sch3/seed-1/diverged.json")));
  const Outcome second = join();
  EXPECT_EQ(second.exitCode, 1);
  EXPECT_EQ(countOf(second, "begin"), 0);
  EXPECT_EQ(second.errorJson()["error"]["message"], first.errorJson()["error"]["message"]);
  fs::remove(path("out/sch3/seed-1/diverged.json"));
  EXPECT_EQ(countOf(join(), "begin"), 1) << "tried again";
}

TEST_F(SweepJoinTest, WhatALauncherStartsAreWorkers) {
  const auto startedBy = [&](int rank) {
    ProgramOptions result = patient();
    result.inChild = [rank] {
      ::setenv("SLURM_STEP_NUM_TASKS", "2", 1);
      ::setenv("SLURM_PROCID", std::to_string(rank).c_str(), 1);
      ::setenv("SLURM_JOB_NODELIST", "node[1-2]", 1);
    };
    return result;
  };
  expectError(cli({"sweep", m_file, "--output", "out"}, startedBy(0)), 2, {"srun", "--join"});
  EXPECT_FALSE(fs::exists(path("out")));
  Program first(HEADLIGHT_CLI, joined(), startedBy(0)),
      second(HEADLIGHT_CLI, joined(), startedBy(1));
  const std::vector<Outcome> outcomes{first.finish(), second.finish()};
  for (const Outcome& outcome : outcomes)
    expectOk(outcome);
  EXPECT_EQ(countIn(outcomes, "run"), 4);
}

}  // namespace
}  // namespace headlight::testing
