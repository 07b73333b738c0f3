// SPDX-License-Identifier: GPL-3.0-or-later

// Training by command: what it writes, how it is stopped, and that going on changes nothing.

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class TrainCliTest : public CliTest {
 protected:
  fs::path config() const { return write("config.json", tinyTraining()); }
  /// The tiny training with so many epochs that there is time to interrupt it.
  fs::path longConfig() const {
    auto config = tinyTraining();
    config["training"]["epochs"] = 20;
    return write("long.json", config);
  }

  static std::function<bool(const std::string&)> atStep(std::int64_t step) {
    return [step](const std::string& line) {
      const json event = json::parse(line, nullptr, false);
      return event.is_object() && event.value("event", "") == "step" &&
             event.value("step", std::int64_t{0}) >= step;
    };
  }

  Tensors uninterrupted(const fs::path& config) const {
    expectOk(run({"train", config, "--run", "whole"}));
    return readTensors(path("whole/last.safetensors"));
  }

  void expectResumesTo(const Tensors& expected, const std::string& folder) const {
    const auto resumed = run({"train", "--resume", folder, "--json"});
    expectOk(resumed);
    EXPECT_EQ(resumed.json()["event"], "finished");
    const auto last = readTensors(path(folder) / "last.safetensors");
    ASSERT_EQ(last.size(), expected.size());
    for (const auto& [name, tensor] : expected)
      EXPECT_EQ(last.at(name), tensor) << name;
  }
};

std::vector<json> trainEvents(const Outcome& outcome, const std::string& kind) {
  std::vector<json> events;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    if (event["event"] == kind) events.push_back(event);
  }
  return events;
}

/// Whoever reads late is told of several epochs at once.
TEST_F(TrainCliTest, EventsComeInTheirOrderToWhoeverReadsLate) {
  ProgramOptions narrow = options();
  narrow.limit = std::chrono::seconds(120);
  narrow.inChild = [] { ::fcntl(STDOUT_FILENO, F_SETPIPE_SZ, 4096); };
  Program program(HEADLIGHT_CLI, {"train", longConfig(), "--run", "run", "--json"}, narrow);
  ASSERT_TRUE(program.waitForLine(atStep(1)));
  const auto epochsWritten = [this] {
    const auto text = fs::exists(path("run/summary.csv")) ? readBytes(path("run/summary.csv")) : "";
    return std::count(text.begin(), text.end(), '\n') - 1;
  };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(90);
  while (epochsWritten() < 20 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Outcome outcome = program.finish();
  expectOk(outcome);
  std::istringstream lines(outcome.out);
  std::int64_t step = 0, epochs = 0;
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    EXPECT_LE(step, event.value("step", step)) << line;
    step = event.value("step", step);
    if (event["event"] != "epoch") continue;
    ++epochs;
    EXPECT_EQ(event["epoch"], epochs);
    EXPECT_EQ(step, 9 * epochs) << line;
  }
  EXPECT_EQ(epochs, 20);
}

TEST_F(TrainCliTest, WritesARunFolderThatEvaluatesAndPredicts) {
  const auto outcome = run({"train", config(), "--run", "run", "--json"});
  expectOk(outcome);
  EXPECT_EQ(trainEvents(outcome, "epoch").size(), 6u);
  const auto steps = trainEvents(outcome, "step");
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.back()["step"], 54);
  const auto end = outcome.json();
  EXPECT_EQ(end["event"], "finished");
  EXPECT_EQ(end["steps"], 54);
  for (const char* file : {"config.json", "metrics.csv", "metrics.jsonl", "last.safetensors",
                           "best.safetensors", "args.yaml", "summary.csv"})
    EXPECT_TRUE(fs::exists(path("run") / file)) << file;

  const auto evaluated = run({"evaluate", "--weights", "run/best.safetensors", "--json"});
  expectOk(evaluated);
  EXPECT_EQ(evaluated.json()["images"], 18);
  EXPECT_NEAR(evaluated.json()["top1"].get<double>(), end["best_top1"].get<double>(), 1e-9);

  const auto images = smallImages();
  const auto onFolder =
      run({"evaluate", "--weights", "run/best.safetensors", "--data", images, "--json"});
  expectOk(onFolder);
  EXPECT_EQ(onFolder.json()["images"], 9);
  const auto imagesWith = [&](const std::string& flag, const std::string& value) {
    return run({"evaluate", "--weights", "run/best.safetensors", flag, value, "--json"})
        .json()["images"];
  };
  EXPECT_EQ(imagesWith("--samples", "9"), 9);
  EXPECT_EQ(imagesWith("--data.max_samples", "9"), 18) << "of the training split";
  const auto inspected = run({"inspect", "run/best.safetensors", "--json"}).json();
  EXPECT_TRUE(inspected["metadata"].contains("experiment"));
}

TEST_F(TrainCliTest, SaysWhereItStartsAndWhatCameOfIt) {
  const auto first = run({"train", config(), "--run", "first", "--training.epochs", "1"});
  expectOk(first);
  EXPECT_NE(first.err.find("starting from random weights"), std::string::npos) << first.err;
  EXPECT_NE(first.out.find("before training  validation loss "), std::string::npos) << first.out;
  EXPECT_NE(first.out.find(" % before → "), std::string::npos) << first.out;
  const auto on = run({"train", config(), "--run", "second", "--training.epochs", "1", "--weights",
                       "first/best.safetensors", "--json"});
  expectOk(on);
  const std::string from = trainEvents(on, "begin").at(0)["weights"];
  EXPECT_TRUE(from.ends_with("first/best.safetensors")) << from;
  const auto starts = trainEvents(on, "start");
  ASSERT_EQ(starts.size(), 1u);
  const auto evaluated = run({"evaluate", "--weights", "first/best.safetensors", "--json"});
  EXPECT_NEAR(starts[0]["top1"].get<double>(), evaluated.json()["top1"].get<double>(), 1e-9);
  const auto end = on.json();
  EXPECT_EQ(end["start_top1"], starts[0]["top1"]);
  EXPECT_EQ(end["last_top1"], trainEvents(on, "epoch").back()["top1"]);
}

TEST_F(TrainCliTest, PlansWithoutTraining) {
  const auto plan = run({"train", config(), "--run", "planned", "--plan", "--json"});
  expectOk(plan);
  EXPECT_GT(plan.json()["seconds"].get<double>(), 0);
  EXPECT_FALSE(fs::exists(path("planned")));
  expectError(run({"train", "--resume", "planned", "--plan"}), 2, {"--plan"});
}

TEST_F(TrainCliTest, FlagsStandOverTheConfig) {
  const auto outcome = run({"train", config(), "--run", "run", "--training.epochs", "1", "--masks",
                            "sch1:5", "--seed", "9", "--data.augment", "no"});
  expectOk(outcome);
  EXPECT_NE(outcome.out.find("epoch 1/1"), std::string::npos) << outcome.out;
  const auto written = json::parse(readBytes(path("run/config.json")));
  EXPECT_EQ(written["training"]["epochs"], 1);
  EXPECT_EQ(written["seed"], 9);
  EXPECT_EQ(written["data"]["augment"], false);
  EXPECT_EQ(written["masks"]["scheme"], "sch1");
  EXPECT_EQ(written["masks"]["window"], 5);
  EXPECT_EQ(written["training"]["batch_size"], 8);
}

TEST_F(TrainCliTest, ARecipeStandsOverTheConfigAndUnderTheFlags) {
  const auto trained =
      run({"train", config(), "--run", "r", "--recipe", "castling", "--training.epochs", "1",
           "--training.batch_size", "24", "--training.accumulate", "2"});
  expectOk(trained);
  const json written = json::parse(readBytes(path("r/config.json")));
  EXPECT_EQ(written["training"]["optimizer"], "sgd");
  EXPECT_EQ(written["training"]["learning_rate_per"], 4096);
  EXPECT_EQ(written["training"]["epochs"], 1);
  EXPECT_EQ(written["data"]["rand_augment"], "rand-m9-mstd0.5-inc1");
  EXPECT_EQ(written["model"]["width"], tinyTraining()["model"]["width"]);
  const auto listed = run({"summary", "--recipes", "--json"});
  expectOk(listed);
  EXPECT_EQ(listed.json().size(), 13u);
  expectError(run({"train", config(), "--run", "s", "--recipe", "cast"}), 2, {"cast", "castling"});
  expectError(run({"train", "--resume", "r", "--recipe", "deit"}), 2, {"--resume"});
}

TEST_F(TrainCliTest, AConfigOfARunTrainsToTheSameWeights) {
  const auto first = uninterrupted(config());
  expectOk(run({"train", "whole/config.json", "--run", "again"}));
  EXPECT_EQ(readTensors(path("again/last.safetensors")), first);
  expectOk(run({"train", "whole/config.json", "--run", "seed", "--seed", "4"}));
  EXPECT_NE(readTensors(path("seed/last.safetensors")), first);
}

TEST_F(TrainCliTest, KilledItGoesOnToTheSameWeights) {
  const auto expected = uninterrupted(longConfig());
  {
    Program program(HEADLIGHT_CLI, {"train", longConfig(), "--run", "run", "--json"}, options());
    ASSERT_TRUE(program.waitForLine(atStep(23)));
    program.send(SIGKILL);
    EXPECT_EQ(program.finish().signal, SIGKILL);
  }
  expectOk(run({"inspect", "run/last.safetensors"}));
  expectResumesTo(expected, "run");
}

TEST_F(TrainCliTest, CtrlCWritesACheckpointAndExitsWith130) {
  auto config = json::parse(readBytes(longConfig()));
  config["training"]["checkpoint_steps"] = 1000000;  // only the signal makes one
  const auto file = write("long.json", config);
  const auto expected = uninterrupted(file);
  Program program(HEADLIGHT_CLI, {"train", file, "--run", "run", "--json"}, options());
  ASSERT_TRUE(program.waitForLine(atStep(5)));
  program.send(SIGINT);
  const auto outcome = program.finish();
  EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
  EXPECT_EQ(outcome.json()["event"], "stopped");
  EXPECT_LT(outcome.json()["steps"].get<int>(), 180);
  EXPECT_EQ(outcome.errorJson()["error"]["code"], "canceled");
  EXPECT_NE(outcome.err.find("--resume"), std::string::npos);
  ASSERT_TRUE(fs::exists(path("run/last.safetensors")));
  expectResumesTo(expected, "run");
}

TEST_F(TrainCliTest, ASecondCtrlCDoesNotWait) {
  // Steps of seconds: the first Ctrl+C waits for the end of one, the second does not.
  auto config = tinyTraining();
  config["model"] = {{"name", "slow"}, {"image_size", 224}, {"patch_size", 16}, {"width", 512},
                     {"depth", 4},     {"heads", 4},        {"classes", 9}};
  config["masks"] = {{"scheme", "none"}};
  config["training"]["batch_size"] = 16;
  config["telemetry"]["als_steps"] = 0;
  auto longer = options();
  longer.limit = std::chrono::seconds(120);
  Program program(HEADLIGHT_CLI, {"train", write("slow.json", config), "--run", "run", "--json"},
                  longer);
  ASSERT_TRUE(program.waitForLine(atStep(1)));  // the next is going on
  program.send(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // two at once would be one
  const auto asked = std::chrono::steady_clock::now();
  program.send(SIGINT);
  const auto outcome = program.finish();
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - asked;
  EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
  EXPECT_LT(waited.count(), 2);
  EXPECT_EQ(outcome.out.find("\"stopped\""), std::string::npos) << outcome.out;  // no checkpoint
  EXPECT_EQ(outcome.err.find("checkpoint written"), std::string::npos) << outcome.err;
}

TEST_F(TrainCliTest, SigtermStopsItTheSameWay) {
  Program program(HEADLIGHT_CLI, {"train", longConfig(), "--run", "run", "--json"}, options());
  ASSERT_TRUE(program.waitForLine(atStep(2)));
  program.send(SIGTERM);
  EXPECT_EQ(program.finish().exitCode, 143);
  EXPECT_TRUE(fs::exists(path("run/last.safetensors")));
}

TEST_F(TrainCliTest, ASecondInstanceIsKeptOut) {
  Program program(HEADLIGHT_CLI, {"train", longConfig(), "--run", "run", "--json"}, options());
  ASSERT_TRUE(program.waitForLine(atStep(8)));
  program.send(SIGSTOP);  // it holds the folder while it stands still
  expectError(run({"train", "--resume", "run"}), 6, {"run", "another Headlight"});
  expectError(run({"train", longConfig(), "--run", "run"}), 6, {"another Headlight"});
  program.send(SIGCONT);
  program.send(SIGINT);
  EXPECT_EQ(program.finish().exitCode, 130);
  // Free again, but it holds a run: that is not begun over.
  expectError(run({"train", longConfig(), "--run", "run"}), 2, {"run"});
}

TEST_F(TrainCliTest, AClosedPipeDoesNotEndIt) {
  const auto outcome = shell("{ \"$CLI\" train '" + config().string() +
                                 "' --run run --json; echo code $? >&2; } | head -n 2",
                             options());
  EXPECT_NE(outcome.err.find("code 5"), std::string::npos) << outcome.err;  // lines were lost
  const auto resumed = run({"train", "--resume", "run", "--json"});
  expectOk(resumed);
  EXPECT_EQ(resumed.json()["steps"], 54);
  EXPECT_EQ(trainEvents(resumed, "step").size(), 0u);  // it had finished
}

TEST_F(TrainCliTest, ResumingNothingIsAnError) {
  expectError(run({"train", "--resume", "nowhere"}), 3, {"nowhere"});
  fs::create_directories(path("empty"));
  expectError(run({"train", "--resume", "empty"}), 3, {"empty"});
}

TEST_F(TrainCliTest, AFolderThatVanishesIsSaidAndTheRunGoesOnLater) {
  const auto images = smallImages();
  auto config = tinyTraining();
  config["data"] = {{"dataset", "image-folder"}, {"path", images.string()}};
  config["training"]["epochs"] = 200;
  config["training"]["batch_size"] = 4;
  Program program(HEADLIGHT_CLI, {"train", write("config.json", config), "--run", "run", "--json"},
                  options());
  ASSERT_TRUE(program.waitForLine(atStep(8)));
  fs::rename(images, path("elsewhere"));
  const auto outcome = program.finish();
  EXPECT_NE(outcome.exitCode, 0);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_FALSE(outcome.errorJson()["error"]["message"].get<std::string>().empty());
  expectOk(run({"inspect", "run/last.safetensors"}));
  fs::rename(path("elsewhere"), images);
  Program again(HEADLIGHT_CLI, {"train", "--resume", "run", "--json"}, options());
  EXPECT_TRUE(again.waitForLine(atStep(10)));
}

/// Unmounts when it goes.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& folder) : m_folder(folder) {
    fs::create_directories(folder);
    m_mounted = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1m") == 0;
    m_reason = m_mounted ? 0 : errno;
  }
  ~SmallDisk() {
    if (m_mounted) ::umount2(m_folder.c_str(), MNT_DETACH);
  }
  bool mounted() const { return m_mounted; }
  int reason() const { return m_reason; }

 private:
  fs::path m_folder;
  bool m_mounted = false;
  int m_reason = 0;
};

void fill(const fs::path& file) {
  std::ofstream stream(file, std::ios::binary);
  const std::string block(4096, 'x');
  while (stream.write(block.data(), 4096) && stream.flush()) {
  }
}

TEST_F(TrainCliTest, AFullDiskLosesNothing) {
  const SmallDisk disk(path("disk"));
  if (!disk.mounted())
    GTEST_SKIP() << "a small tmpfs cannot be mounted here: " << std::strerror(disk.reason());
  const auto expected = uninterrupted(longConfig());
  Program program(HEADLIGHT_CLI, {"train", longConfig(), "--run", "disk/run", "--json"}, options());
  ASSERT_TRUE(program.waitForLine(atStep(11)));
  fill(path("disk/filler"));
  const auto outcome = program.finish();
  EXPECT_EQ(outcome.exitCode, 5) << outcome.err;
  EXPECT_NE(outcome.err.find("space"), std::string::npos) << outcome.err;
  expectOk(run({"inspect", "disk/run/last.safetensors"}));
  fs::remove(path("disk/filler"));
  expectResumesTo(expected, "disk/run");
}

TEST_F(TrainCliTest, AWriteThatFailsLosesNothing) {
  // Without rights to mount: no file may grow beyond 8 KB, less than a checkpoint.
  const auto expected = uninterrupted(config());
  auto limited = options();
  limited.inChild = [] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{8192, 8192};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const auto outcome = cli({"train", config(), "--run", "run"}, limited);
  expectError(outcome, 5, {"run"});
  for (const auto& entry : fs::directory_iterator(path("run")))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
  expectResumesTo(expected, "run");
}

/// What the config says of masks need not fit a model that is put in its place.
TEST_F(TrainCliTest, MasksNoneStandsOverTheConfigsMasks) {
  auto masked = tinyTraining();
  masked["masks"] = {{"scheme", "sch1"}};
  expectOk(run({"train", write("masked.json", masked), "--run", "free", "--model.mechanism",
                "aft_simple", "--masks", "none"}));
}

}  // namespace
}  // namespace headlight::testing
