// SPDX-License-Identifier: GPL-3.0-or-later

// What a training of a sequence model writes down.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/training/logs/MetricsLog.h"
#include "core/training/sequence/SequenceHistory.h"
#include "core/training/sequence/SequenceLog.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

SequenceValidation validationAt(std::int64_t step) {
  SequenceValidation validation;
  validation.step = step;
  validation.trainBits = 2.5;
  validation.validationBits = 3;
  validation.learningRate = 0.25;
  validation.best = true;
  validation.seconds = 1;
  validation.stepsPerSecond = 1.5;
  validation.peakBytes = 4096;
  return validation;
}

TEST(SequenceLog, AValidationThatCannotBeWrittenIsAddedOnceItCan) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "metrics.csv");  // in the way
  SequenceLog log(opened(folder.path()), "");
  EXPECT_FALSE(log.validation(validationAt(5)));
  std::filesystem::remove(folder / "metrics.csv");
  EXPECT_TRUE(log.validation(validationAt(10)));
  EXPECT_EQ(linesOf(folder / "metrics.csv"),
            (std::vector<std::string>{
                "step,learning_rate,train_bits,validation_bits,best,seconds,steps_per_second,"
                "peak_bytes",
                "5,0.25,2.5,3,1,1,1.5,4096",
                "10,0.25,2.5,3,1,1,1.5,4096",
            }));
  EXPECT_EQ(linesOf(folder / "metrics.jsonl").size(), 2u);
}

/// A table of before speed and memory were written down goes on as it is, with ids and without.
TEST(SequenceLog, ATableOfAnOlderProgramGoesOnAsItWas) {
  const std::string columns = "step,learning_rate,train_bits,validation_bits,best";
  for (const std::string run : {"", "0123456789abcdef"}) {
    const TemporaryFolder folder;
    const std::string id = run.empty() ? "" : "," + run;
    const std::string head = columns + (run.empty() ? ",seconds" : ",run,seconds");
    std::ofstream(folder / "metrics.csv")
        << head << "\n5,0.25,2.5,3,1" << id << ",1\n10,0.25,9,9,1" << id << ",1\n";
    SequencePosition position;
    position.step = position.validatedStep = 5;
    SequenceLog log(opened(folder.path()), run);
    const auto cut = log.cutTo(position);
    ASSERT_TRUE(cut) << cut.error().text();
    ASSERT_TRUE(log.validation(validationAt(10)));
    EXPECT_EQ(linesOf(folder / "metrics.csv"),
              (std::vector<std::string>{head, "5,0.25,2.5,3,1" + id + ",1",
                                        "10,0.25,2.5,3,1" + id + ",1"}));
  }
}

TEST(SequenceLog, ARowOfAnotherRunIsFoundBeforeTheMeasurements) {
  const TemporaryFolder folder;
  ASSERT_TRUE(SequenceLog(opened(folder.path()), "0123456789abcdef").validation(validationAt(5)));
  SequencePosition position;
  position.step = position.validatedStep = 5;
  EXPECT_TRUE(SequenceLog(opened(folder.path()), "0123456789abcdef").cutTo(position));
  EXPECT_FALSE(SequenceLog(opened(folder.path()), "fedcba9876543210").cutTo(position));
}

TEST(SequenceLog, LinesOfAnyKindAreCutWithoutATrace) {
  const TemporaryFolder folder;
  const std::string odd = R"({"type": 5, "step": 1})", none = R"({"step": 2})",
                    later = R"({"type": [], "step": 9})";
  const auto write = [&] {
    std::ofstream(folder / "metrics.jsonl") << odd << "\n" << none << "\n" << later << "\n";
  };
  const std::vector<std::string> kept{odd, none};
  write();
  SequencePosition position;
  position.step = 5;
  position.validatedStep = 0;
  const auto cut = SequenceLog(opened(folder.path()), "").cutTo(position);
  EXPECT_TRUE(cut) << cut.error().text();
  EXPECT_EQ(linesOf(folder / "metrics.jsonl"), kept);
  write();
  const auto other = MetricsLog(opened(folder.path()), "").cutTo(5, 0, 0);
  EXPECT_TRUE(other) << other.error().text();
  EXPECT_EQ(linesOf(folder / "metrics.jsonl"), kept);
}

std::vector<std::int64_t> loggedSteps(const std::vector<SequenceReading>& readings) {
  std::vector<std::int64_t> steps;
  for (const auto& reading : readings)
    steps.push_back(reading.step);
  return steps;
}

TEST(SequenceHistory, IsWhatWasLoggedBeforeAStep) {
  const TemporaryFolder folder;
  EXPECT_TRUE(readSequenceHistory(opened(folder.path()), 100).empty());
  {
    SequenceLog log(opened(folder.path()), "");
    for (const std::int64_t step : {1, 5, 10}) {
      ASSERT_TRUE(log.step({step, 8.0 / static_cast<double>(step), 0.1, 1, 2.5, 1000}));
      if (step == 5) {
        ASSERT_TRUE(log.validation(validationAt(step)));
      }
    }
  }
  std::ofstream(folder / "metrics.jsonl", std::ios::app)
      << "{\"step\": 6, \"bits\": \"many\"}\nnot JSON\n[7]\n"
      << "{\"step\": 12, \"bits\": 1}\n{\"step\": 11, \"bits\": 1}\n";
  const auto history = readSequenceHistory(opened(folder.path()), 13);
  EXPECT_EQ(loggedSteps(history), (std::vector<std::int64_t>{1, 5, 5, 10, 12}));
  EXPECT_EQ(history[1].trainBits, 1.6);
  EXPECT_FALSE(history[1].validationBits);
  EXPECT_EQ(history[2].trainBits, 2.5);
  EXPECT_EQ(history[2].validationBits, 3);
  EXPECT_EQ(history[1].stepsPerSecond, 2.5);
  EXPECT_EQ(history[1].peakBytes, 1000);
  EXPECT_EQ(history[2].stepsPerSecond, 1.5);
  EXPECT_EQ(history[2].peakBytes, 4096);
  EXPECT_EQ(history[4].stepsPerSecond, 0) << "a line of before it was written down";
  EXPECT_EQ(history[4].peakBytes, 0);
  EXPECT_EQ(loggedSteps(readSequenceHistory(opened(folder.path()), 10)),
            (std::vector<std::int64_t>{1, 5, 5}));
}

TEST(SequenceHistory, OfALongRunItIsEvenlyThinned) {
  const TemporaryFolder folder;
  {
    std::ofstream file(folder / "metrics.jsonl");
    for (int step = 1; step <= 30000; ++step)
      file << "{\"type\": \"step\", \"step\": " << step << ", \"bits\": 1}\n";
  }
  const auto steps = loggedSteps(readSequenceHistory(opened(folder.path()), 29000));
  EXPECT_LE(steps.size(), 8192u);
  EXPECT_GT(steps.size(), 4000u);
  EXPECT_EQ(steps.front(), 1);
  EXPECT_LT(steps.back(), 29000);
  EXPECT_GT(steps.back(), 29000 - 2 * (steps[1] - steps[0]));
}

}  // namespace
}  // namespace headlight
