// SPDX-License-Identifier: GPL-3.0-or-later

// What could not be written is tried again, carried by the checkpoint, and at the end an error.

#include <gtest/gtest.h>

#include <fstream>

#include "core/workbench/sweeps/Sweep.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKept[] = {"best.safetensors", "epoch-0001.safetensors", "metrics.csv",
                                 "metrics.jsonl", "evolution.bin"};

Experiment keepingExperiment() {
  Experiment experiment = tinyExperiment();
  experiment.training.keepEvery = 1;
  return experiment;
}

/// The same files with the same content, but for the seconds.
void expectSameRun(const fs::path& a, const fs::path& b) {
  for (const char* name : {"last.safetensors", "best.safetensors", "epoch-0001.safetensors",
                           "epoch-0002.safetensors", "evolution.bin"})
    EXPECT_EQ(valueOrThrow(readFile(a / name, 1u << 26)),
              valueOrThrow(readFile(b / name, 1u << 26)))
        << name;
  const auto rows = linesOf(a / "metrics.csv"), others = linesOf(b / "metrics.csv");
  ASSERT_EQ(rows.size(), others.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(rows[i].substr(0, rows[i].rfind(',')), others[i].substr(0, others[i].rfind(',')));
  EXPECT_EQ(linesOf(a / "metrics.jsonl").size(), linesOf(b / "metrics.jsonl").size());
}

TEST(PendingWrites, AreErrorsAtTheEndAndPaidByResuming) {
  TemporaryFolder folder;
  runToEnd(*begin(keepingExperiment(), folder / "whole"));
  for (const std::string name : kKept) {
    const fs::path run = folder / name;
    fs::create_directories(run / name);  // in the way
    const auto outcome = begin(keepingExperiment(), run)->run({});
    ASSERT_FALSE(outcome) << name;
    EXPECT_EQ(outcome.error().code, ErrorCode::Io);
    for (const std::string& word : {name, std::string("resume")})
      EXPECT_NE(outcome.error().message.find(word), std::string::npos) << outcome.error().text();
    {
      const auto again = TrainingSession::resume(run);
      EXPECT_FALSE(again.ok() && (*again)->run({})) << "it is still in the way";
    }
    fs::remove(run / name);
    EXPECT_EQ(runToEnd(*resume(run)).steps, 10);
    expectSameRun(folder / "whole", run);
  }
}

TEST(PendingWrites, ArePaidAtTheNextOccasion) {
  TemporaryFolder folder;
  runToEnd(*begin(keepingExperiment(), folder / "whole"));
  for (const std::string name : kKept) {
    const fs::path run = folder / name;
    fs::create_directories(run / name);
    const auto session = begin(keepingExperiment(), run);
    const auto outcome = runWith(*session, [&](std::int64_t step) {
      if (step == 7) fs::remove(run / name);
    });
    ASSERT_TRUE(outcome) << outcome.error().text();
    expectSameRun(folder / "whole", run);
  }
}

TEST(PendingWrites, AStoppedRunKeepsThemInItsCheckpoint) {
  TemporaryFolder folder;
  runToEnd(*begin(keepingExperiment(), folder / "whole"));
  const fs::path run = folder / "run";
  for (const char* name : kKept)
    fs::create_directories(run / name);
  ASSERT_TRUE(runUntil(*begin(keepingExperiment(), run), 7));
  const auto weights = lastTensors(run);
  EXPECT_TRUE(weights.contains("owed.best.safetensors/head.weight"));
  EXPECT_TRUE(weights.contains("owed.epoch-0001.safetensors/head.weight"));
  for (const char* name : kKept)
    fs::remove(run / name);
  runToEnd(*resume(run));
  expectSameRun(folder / "whole", run);
}

TEST(PendingWrites, MakeASweepTakeTheRunUpAgain) {
  TemporaryFolder folder;
  Experiment experiment = keepingExperiment();
  experiment.telemetry.alsSteps = 0;
  const Json sweep = {
      {"base", experimentToJson(experiment)}, {"variants", {{{"name", "only"}}}}, {"seeds", {3}}};
  const auto plan = valueOrThrow(sweepFromText(sweep.dump(), "sweep.json", "."));
  const fs::path best = folder / "out/only/seed-3/best.safetensors";
  fs::create_directories(best);
  const auto refused = runSweep(plan, folder / "out", {false, 4}, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Io) << refused.error().text();
  fs::remove(best);
  const auto report = runSweep(plan, folder / "out", {false, 4}, {}, {});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->finished, 1);
  EXPECT_TRUE(fs::is_regular_file(best));
}

TEST(SweepFolder, IsNeverLeftThroughALink) {
  TemporaryFolder folder;
  const Json sweep = {{"base", experimentToJson(keepingExperiment())},
                      {"variants", {{{"name", "only"}}}},
                      {"seeds", {3}}};
  const auto plan = valueOrThrow(sweepFromText(sweep.dump(), "sweep.json", "."));
  fs::create_directories(folder / "elsewhere");
  fs::create_directories(folder / "out");
  fs::create_directory_symlink("../elsewhere", folder / "out/only");
  const auto report = runSweep(plan, folder / "out", {false, 4}, {}, {});
  ASSERT_FALSE(report);
  EXPECT_TRUE(fs::is_empty(folder / "elsewhere"));
}

}  // namespace
}  // namespace headlight
