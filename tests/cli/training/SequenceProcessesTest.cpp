// SPDX-License-Identifier: GPL-3.0-or-later

// One run of a sequence model in several processes, as launchers start them: the numbers of one,
// exact when it goes on, and one clear message when a process fails.

#include <csignal>
#include <sstream>

#include "tests/FreePort.h"
#include "tests/cli/Job.h"
#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

std::vector<double> bitsOf(const Outcome& outcome) {
  std::vector<double> bits;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    if (event["event"] == "step") bits.push_back(event["train_bits"]);
    if (event["event"] == "validation") bits.push_back(event["validation_bits"]);
  }
  return bits;
}

class SequenceProcessesCliTest : public CliTest {
 protected:
  fs::path text(const std::string& name = "text") const {
    std::string bytes;
    for (int i = 0; i < 60; ++i)
      bytes += "the dog.";
    return write(name, bytes);
  }

  /// With all that is drawn and averaged, and an odd batch.
  json training(const fs::path& data) const {
    return {{"name", "tiny"},
            {"seed", 3},
            {"device", "cpu"},
            {"threads", 1},
            {"data", {{"kind", "text"}, {"path", data.string()}}},
            {"model", {{"width", 16}, {"depth", 2}, {"length", 24}, {"rank", 4}, {"dropout", 0.2}}},
            {"training",
             {{"steps", 12},
              {"batch_size", 5},
              {"warmup_steps", 2},
              {"ema_decay", 0.9},
              {"evaluate_steps", 5},
              {"evaluate_samples", 0},
              {"checkpoint_steps", 3},
              {"timeout", 60}}}};
  }
  fs::path config() const { return write("config.json", training(text())); }

  static Arguments plainly(const fs::path& config, const std::string& folder) {
    return {"sequence", "train", config.string(), "--run", folder};
  }
  static Arguments trains(const fs::path& config, const std::string& folder) {
    Arguments arguments = plainly(config, folder);
    arguments.push_back("--json");
    return arguments;
  }

  Outcome trainedBy(int count, const Arguments& arguments) const {
    Job job(count, arguments, options());
    const auto all = job.finish();
    for (const Outcome& outcome : all)
      EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    for (std::size_t rank = 1; rank < all.size(); ++rank)
      EXPECT_EQ(all[rank].out + all[rank].err, "") << "rank " << rank;
    return all.front();
  }

  /// Two processes, each with arguments of its own.
  std::vector<Outcome> pair(const Arguments& first, const Arguments& second) const {
    const int port = freePort();
    Job job;
    job.add(Job::variablesOf(0, 2, port), first, options());
    job.add(Job::variablesOf(1, 2, port), second, options());
    return job.finish();
  }

  void expectSame(const std::string& folder, const std::string& other) const {
    for (const char* file : {"last.safetensors", "best.safetensors"})
      EXPECT_EQ(readTensors(path(folder) / file), readTensors(path(other) / file))
          << folder << ": " << file;
  }
};

TEST_F(SequenceProcessesCliTest, TheirNumberChangesNothingButRounding) {
  const auto file = config();
  const auto alone = bitsOf(run(trains(file, "run1")));
  ASSERT_EQ(alone.size(), 12u + 3u);
  for (const int count : {2, 3}) {
    const auto outcome = trainedBy(count, trains(file, "run" + std::to_string(count)));
    EXPECT_NE(outcome.out.find("\"processes\":" + std::to_string(count)), std::string::npos);
    const auto together = bitsOf(outcome);
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i)
      EXPECT_NEAR(together[i], alone[i], 1e-5) << count << " processes, " << i;
  }
}

/// Of fewer sequences than processes each computes all.
TEST_F(SequenceProcessesCliTest, ABatchMayBeSmallerThanTheirNumber) {
  Arguments few = trains(config(), "run1");
  few.insert(few.end(), {"--training.batch_size", "2", "--training.steps", "5"});
  const auto alone = bitsOf(run(few));
  few[4] = "run3";
  const auto together = bitsOf(trainedBy(3, few));
  ASSERT_EQ(together.size(), alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_NEAR(together[i], alone[i], 1e-5) << i;
}

TEST_F(SequenceProcessesCliTest, ASignalStopsAllAtOneStepAndTheyGoOnExactly) {
  json given = training(text());
  given["training"]["steps"] = 150;
  const auto file = write("config.json", given);
  trainedBy(2, trains(file, "whole"));
  Job job(2, trains(file, "stopped"), options());
  ASSERT_TRUE(job.rank(0).waitForLine(isStep));
  job.rank(1).send(SIGTERM);
  const auto ended = job.finish();
  EXPECT_EQ(ended[1].exitCode, 128 + SIGTERM) << ended[1].err;
  EXPECT_EQ(ended[0].exitCode, 4) << ended[0].err;
  EXPECT_NE(ended[0].err.find("--resume"), std::string::npos) << ended[0].err;
  EXPECT_LT(ended[0].json()["steps"].get<int>(), 150);
  trainedBy(2, {"sequence", "train", "--run", "stopped", "--resume", "--json"});
  expectSame("stopped", "whole");
}

/// As torchrun --max-restarts and requeued jobs do: the same command again until it is done.
TEST_F(SequenceProcessesCliTest, KilledTheyEndInTheSameWeights) {
  json given = training(text());
  given["training"]["steps"] = 100;
  given["training"]["timeout"] = 20;
  const auto file = write("config.json", given);
  trainedBy(2, trains(file, "whole"));
  Arguments command = trains(file, "killed");
  command.push_back("--resume-or-start");
  Job job(2, command, options());
  int steps = 7;
  ASSERT_TRUE(job.rank(0).waitForLine(
      [&](const std::string& line) { return isStep(line) && --steps < 0; }));
  job.rank(1).send(SIGKILL);
  const auto ended = job.finish();
  EXPECT_EQ(ended[1].signal, SIGKILL);
  EXPECT_EQ(ended[0].exitCode, 5) << ended[0].err;
  EXPECT_NE(ended[0].err.find("process 1 of 2"), std::string::npos) << ended[0].err;
  trainedBy(2, command);
  expectSame("killed", "whole");
}

/// Process 0 alone needs the run's folder and the weights that it begins with.
TEST_F(SequenceProcessesCliTest, OthersWriteNothingAndMayHaveTheirDataElsewhere) {
  const auto here = write("here.json", training(text()));
  const auto there = write("there.json", training(text("copy")));
  const auto ended = pair(trains(here, "run"), trains(there, "elsewhere"));
  EXPECT_EQ(ended[0].exitCode, 0) << ended[0].err;
  EXPECT_EQ(ended[1].exitCode, 0) << ended[0].err;
  EXPECT_TRUE(fs::exists(path("run/best.safetensors")));
  EXPECT_FALSE(fs::exists(path("elsewhere")));
  Arguments first = trains(here, "second"), second = trains(there, "elsewhere");
  for (Arguments* arguments : {&first, &second})
    arguments->insert(arguments->end(), {"--training.weights", "run", "--training.steps", "3"});
  const auto started = pair(first, second);
  EXPECT_EQ(started[0].exitCode, 0) << started[0].err;
  EXPECT_EQ(started[1].exitCode, 0) << started[0].err;
}

TEST_F(SequenceProcessesCliTest, WhatDiffersIsToldByTheFirstAlone) {
  json other = training(text());
  other["training"]["steps"] = 5;
  const auto configs = pair(plainly(config(), "run"), plainly(write("other.json", other), "run"));
  expectError(configs[0], 2, {"process 1", "training.steps", "same config"});
  EXPECT_EQ(configs[1].exitCode, 2);
  EXPECT_EQ(configs[1].out + configs[1].err, "");
  const auto longer = write("longer", std::string(600, 'x'));
  const auto data =
      pair(plainly(config(), "run"), plainly(write("data.json", training(longer)), "run"));
  expectError(data[0], 3, {"process 1", "other data"});
  EXPECT_EQ(data[1].err, "");
  const auto missing = pair(plainly(config(), "run"),
                            plainly(write("missing.json", training(path("nowhere"))), "run"));
  expectError(missing[0], 5, {"process 1 of 2", "ended:", "nowhere"});
  EXPECT_EQ(missing[1].exitCode, 3);
  EXPECT_EQ(missing[1].err, "");
  EXPECT_FALSE(fs::exists(path("run")));
}

/// What only one of them can know is said by the first.
TEST_F(SequenceProcessesCliTest, OnesOwnErrorsAreHeard) {
  Arguments flag = trains(config(), "run");
  flag.push_back("--no-such-flag");
  const auto flags = pair(trains(config(), "run"), flag);
  EXPECT_EQ(flags[0].exitCode, 5);
  EXPECT_NE(flags[0].err.find("no-such-flag"), std::string::npos) << flags[0].err;
  EXPECT_EQ(flags[1].err, "");
  const auto file = pair(trains(config(), "run"), trains("missing.json", "run"));
  EXPECT_EQ(file[0].exitCode, 5);
  EXPECT_NE(file[0].err.find("missing.json"), std::string::npos) << file[0].err;
  EXPECT_EQ(file[1].err, "");
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(SequenceProcessesCliTest, ResumingOrStartingIsOneOfTheTwo) {
  expectError(
      run({"sequence", "train", config().string(), "--run", "r", "--resume", "--resume-or-start"}),
      2, {"--resume-or-start", "--resume"});
  Arguments command = trains(config(), "run");
  command.push_back("--resume-or-start");
  const auto started = run(command), again = run(command);
  expectOk(started);
  expectOk(again);
  EXPECT_NE(started.out.find("\"resumed\":false"), std::string::npos) << started.out;
  EXPECT_NE(again.out.find("\"resumed\":true"), std::string::npos) << again.out;
  EXPECT_EQ(again.json()["steps"], 12);
}

}  // namespace
}  // namespace headlight::testing
