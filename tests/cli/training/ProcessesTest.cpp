// SPDX-License-Identifier: GPL-3.0-or-later

// One run in several processes, as launchers start them: the numbers of one, exact when it goes on,
// and one clear message when a process fails.

#include <csignal>
#include <cstdlib>
#include <random>
#include <sstream>
#include <thread>

#include "tests/Effort.h"
#include "tests/FreePort.h"
#include "tests/cli/Job.h"
#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;
std::vector<double> lossesOf(const Outcome& outcome) {
  std::vector<double> losses;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    if (event["event"] == "step") losses.push_back(event["loss"]);
    if (event["event"] == "epoch") losses.push_back(event["validation_loss"]);
  }
  return losses;
}

class ProcessesCliTest : public CliTest {
 protected:
  /// With all that is drawn, an odd batch, and a mask edit.
  json training() const {
    auto config = tinyTraining();
    config["threads"] = 1;
    config["model"]["drop_path"] = 0.2;
    config["training"]["batch_size"] = 9;
    config["training"]["mixup_alpha"] = 0.8;
    config["training"]["cutmix_alpha"] = 1.0;
    config["training"]["ema_decay"] = 0.9;
    config["training"]["checkpoint_steps"] = 3;
    config["training"]["timeout"] = 60;
    return config;
  }
  fs::path config() const { return write("config.json", training()); }
  json trainingOn(const fs::path& images) const {
    auto config = training();
    config["data"] = {{"dataset", "image-folder"}, {"path", images.string()}};
    config["model"].erase("classes");
    return config;
  }
  /// Each process has its images in a folder of its own.
  std::vector<Outcome> trainedOn(const std::vector<fs::path>& folders) const {
    const int count = static_cast<int>(folders.size()), port = freePort();
    Job job;
    for (int rank = 0; rank < count; ++rank) {
      const auto config = trainingOn(folders[static_cast<std::size_t>(rank)]);
      job.add(Job::variablesOf(rank, count, port),
              {"train", write("config" + std::to_string(rank) + ".json", config), "--run", "run"},
              options());
    }
    return job.finish();
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

  void expectSame(const std::string& folder, const Tensors& expected) const {
    const auto last = readTensors(path(folder) / "last.safetensors");
    ASSERT_EQ(last.size(), expected.size());
    for (const auto& [name, tensor] : expected)
      EXPECT_EQ(last.at(name), tensor) << folder << ": " << name;
  }
};

TEST_F(ProcessesCliTest, TheirNumberChangesNothingButRounding) {
  const auto file = config();
  const auto alone = lossesOf(run({"train", file, "--run", "run1", "--json"}));
  ASSERT_GT(alone.size(), 20u);
  for (const int count : {2, 3, 4}) {
    const auto together = lossesOf(
        trainedBy(count, {"train", file, "--run", "run" + std::to_string(count), "--json"}));
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i)
      EXPECT_NEAR(together[i], alone[i], 1e-5) << count << " processes, " << i;
  }
}

/// Files that cannot be read are left out of the batch wherever they are.
TEST_F(ProcessesCliTest, DamagedImagesAreLeftOutAsByOne) {
  const auto images = smallImages();
  int damaged = 0;
  for (const auto& entry : fs::recursive_directory_iterator(images))
    if (entry.is_regular_file() && ++damaged % 5 == 0) fs::resize_file(entry.path(), 20);
  auto given = trainingOn(images);
  given["training"]["batch_size"] = 5;
  const auto file = write("folder.json", given);
  const auto alone = lossesOf(run({"train", file, "--run", "run1", "--json"}));
  const auto together = lossesOf(trainedBy(2, {"train", file, "--run", "run2", "--json"}));
  ASSERT_EQ(together.size(), alone.size());
  ASSERT_GT(alone.size(), 3u);
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_NEAR(together[i], alone[i], 1e-5) << i;
}

/// Slurm warns every process, others only one: all write one checkpoint of one step and end.
TEST_F(ProcessesCliTest, ASignalStopsAllAtOneStepAndTheyGoOnExactly) {
  auto given = training();
  given["training"]["epochs"] = 12;
  const auto file = write("config.json", given);
  trainedBy(2, {"train", file, "--run", "whole", "--json"});
  const auto whole = readTensors(path("whole/last.safetensors"));
  for (const auto& [signal, to] : {std::pair{SIGTERM, 1}, std::pair{SIGUSR1, 0}}) {
    const std::string folder = "stopped" + std::to_string(signal);
    Job job(2, {"train", file, "--run", folder, "--json"}, options());
    ASSERT_TRUE(job.rank(0).waitForLine(isStep));
    job.rank(to).send(signal);
    const auto ended = job.finish();
    EXPECT_EQ(ended[static_cast<std::size_t>(to)].exitCode, 128 + signal) << ended[0].err;
    EXPECT_EQ(ended[static_cast<std::size_t>(1 - to)].exitCode, 4) << ended[0].err;
    trainedBy(2, {"train", "--resume", folder, "--json"});
    expectSame(folder, whole);
  }
}

/// As torchrun --max-restarts and requeued jobs do: the same command again until it is done.
TEST_F(ProcessesCliTest, KilledAnywhereTheyEndInTheSameWeights) {
  auto given = training();
  given["training"]["epochs"] = 12 * testEffort();
  given["training"]["timeout"] = 20;
  const auto file = write("config.json", given);
  trainedBy(2, {"train", file, "--run", "whole", "--json"});
  const auto whole = readTensors(path("whole/last.safetensors"));
  std::mt19937 random(5);
  for (int killed = 0; killed < 2; ++killed) {
    const std::string folder = "killed" + std::to_string(killed);
    const Arguments command{"train", file, "--run", folder, "--resume-or-start", "--json"};
    for (long i = 0; i < 2 * testEffort(); ++i) {
      Job job(2, command, options());
      int steps = static_cast<int>(random() % 12);
      job.rank(0).waitForLine([&](const std::string& line) { return isStep(line) && --steps < 0; });
      job.rank(killed).send(SIGKILL);
      const auto ended = job.finish();
      const Outcome& left = ended[static_cast<std::size_t>(1 - killed)];
      EXPECT_EQ(ended[static_cast<std::size_t>(killed)].signal, SIGKILL);
      EXPECT_EQ(left.exitCode, 5) << left.err;
      EXPECT_NE(left.err.find("process " + std::to_string(killed) + " of 2"), std::string::npos)
          << left.err;
    }
    trainedBy(2, command);
    expectSame(folder, whole);
  }
}

TEST_F(ProcessesCliTest, DifferentConfigsAreToldApartByTheFirstAlone) {
  auto other = training();
  other["training"]["epochs"] = 5;
  const auto first = config(), second = write("other.json", other);
  const int port = freePort();
  Job job;
  job.add(Job::variablesOf(0, 2, port), {"train", first, "--run", "run"}, options());
  job.add(Job::variablesOf(1, 2, port), {"train", second, "--run", "run"}, options());
  const auto ended = job.finish();
  expectError(ended[0], 2, {"process 1", "training.epochs", "same config"});
  EXPECT_EQ(ended[1].exitCode, 2);
  EXPECT_EQ(ended[1].out + ended[1].err, "");
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(ProcessesCliTest, OtherImagesAreFoundBeforeAnythingIsWritten) {
  const auto images = smallImages();
  fs::copy(images, path("other"), fs::copy_options::recursive);
  fs::remove(fs::directory_iterator(fs::directory_iterator(path("other/train"))->path())->path());
  const auto ended = trainedOn({images, path("other")});
  expectError(ended[0], 3, {"process 1", "other images"});
  EXPECT_EQ(ended[1].exitCode, 3);
  EXPECT_EQ(ended[1].err, "");
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(ProcessesCliTest, FirstProcessReportsFailures) {
  const auto ended = trainedOn({smallImages(), path("missing")});
  expectError(ended[0], 5, {"process 1 of 2", "ended:", "missing"});
  EXPECT_EQ(ended[1].exitCode, 3);
  EXPECT_EQ(ended[1].err, "");
}

TEST_F(ProcessesCliTest, AVariableThatIsMissingIsNamed) {
  for (const char* missing : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    Variables variables = Job::variablesOf(0, 2, 29400);
    std::erase_if(variables, [&](const auto& item) { return item.first == missing; });
    Job job;
    job.add(variables, {"train", config(), "--run", "run"}, options());
    expectError(job.finish()[0], 2, {missing, "is not set"});
  }
}

TEST_F(ProcessesCliTest, APortInUseIsNamed) {
  Program holder("/usr/bin/python3",
                 {"-c",
                  "import socket,sys; s=socket.socket(socket.AF_INET6 if socket.has_ipv6 else "
                  "socket.AF_INET); s.bind(('',0)); s.listen(); print(s.getsockname()[1], "
                  "flush=True); sys.stdin.read() or __import__('time').sleep(60)"},
                 options());
  int port = 0;
  ASSERT_TRUE(holder.waitForLine([&](const std::string& line) {
    port = std::atoi(line.c_str());
    return port > 0;
  }));
  Job job;
  job.add(Job::variablesOf(0, 2, port), {"train", config(), "--run", "run"}, options());
  expectError(job.finish()[0], 5, {std::to_string(port), "in use", "MASTER_PORT"});
}

TEST_F(ProcessesCliTest, ResumeOrStartNeedsAFolder) {
  expectError(run({"train", config(), "--resume-or-start"}), 2, {"--resume-or-start", "--run"});
}

TEST_F(ProcessesCliTest, AStepIsMeasuredInAsManyProcessesAsThereAre) {
  const Arguments step{"bench", "step",      "--models", "vit_micro", "--batch",
                       "6",     "--repeats", "2",        "--json"};
  const json alone = run(step).json()[0];
  EXPECT_EQ(alone["processes"], 1);
  EXPECT_EQ(alone["sent_bytes"], 0);
  EXPECT_EQ(alone["sums_by"], "");
  EXPECT_EQ(alone["sum_ms"], 0);
  const json together = json::parse(trainedBy(3, step).out)[0];
  EXPECT_EQ(together["processes"], 3);
  EXPECT_EQ(together["sums_by"], "Gloo");
  EXPECT_EQ(together["batch"], 6);
  EXPECT_GT(together["step_ms"], 0);
  EXPECT_EQ(together["gradient_bytes"], alone["gradient_bytes"]);
  EXPECT_EQ(together["sent_bytes"], together["gradient_bytes"].get<std::int64_t>() * 4 / 3);
  EXPECT_GT(together["sum_ms"], 0);
  EXPECT_GE(together["hidden"], 0);
  EXPECT_LE(together["hidden"], 1);
  Job job(4, step, options());
  for (const Outcome& outcome : job.finish())
    EXPECT_EQ(outcome.exitCode, 2);
}

/// What only one of them can know is said by the first, or by itself where there is no first.
TEST_F(ProcessesCliTest, OnesOwnErrorsAreHeard) {
  for (const Arguments& wrong : {Arguments{"train", "missing.json", "--run", "run"},
                                 Arguments{"train", config(), "--run", "run", "--no-such-flag"}}) {
    const int port = freePort();
    Job job;
    job.add(Job::variablesOf(0, 2, port), {"train", config(), "--run", "run"}, options());
    job.add(Job::variablesOf(1, 2, port), wrong, options());
    const auto all = job.finish();
    EXPECT_EQ(all[0].exitCode, 5);
    EXPECT_NE(all[0].err.find("process 1 of 2"), std::string::npos) << all[0].err;
    EXPECT_NE(all[0].err.find(wrong.size() > 4 ? "no-such-flag" : "missing.json"),
              std::string::npos)
        << all[0].err;
    EXPECT_EQ(all[1].err, "");
    EXPECT_FALSE(fs::exists(path("run")));
  }
  auto alone = training();
  alone["training"]["timeout"] = 2;
  Job job;
  job.add(Job::variablesOf(1, 2, freePort()), {"train", write("alone.json", alone), "--run", "run"},
          options());
  const auto outcome = job.finish().front();
  EXPECT_EQ(outcome.exitCode, 5);
  EXPECT_NE(outcome.err.find("found no process 0"), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

}  // namespace
}  // namespace headlight::testing
