// SPDX-License-Identifier: GPL-3.0-or-later

// replay: a finished run is trained again with its mask edits, and its weights are compared.

#include <signal.h>

#include <chrono>
#include <thread>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class ReplayCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    json config = tinyTraining();
    config["training"]["epochs"] = 1;
    config["edits"] = {{{"step", 5}, {"changes", {{{"layer", 0}, {"head", 1}, {"to", "hard:3"}}}}}};
    expectOk(run({"train", write("config.json", config), "--run", "a"}));
  }
};

TEST_F(ReplayCliTest, EndsInTheSameWeights) {
  const json reported = run({"replay", "a", "--json"}).json();
  EXPECT_EQ(reported["same"], true);
  EXPECT_EQ(reported["edits"], 1);
  EXPECT_EQ(reported["steps"], 9);
  EXPECT_GT(reported["tensors"], 40);
  EXPECT_EQ(reported["different"], 0);
  // The replay is there: asking again compares.
  const Outcome again = run({"replay", "a/"});
  expectOk(again);
  EXPECT_NE(again.out.find("bit-identical"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("with 1 mask edit"), std::string::npos) << again.out;
}

TEST_F(ReplayCliTest, NamesDifferentTensors) {
  json config = json::parse(readBytes(path("a/config.json")));
  config["edits"] = json::array();
  fs::create_directory(path("b"));
  for (const char* name : {"last.safetensors", "metrics.jsonl"})
    fs::copy_file(path("a") / name, path("b") / name);
  config["training"]["learning_rate"] = 0.0123;
  write("b/config.json", config);
  const Outcome outcome = run({"replay", "b", "--output", "b-again"});
  EXPECT_EQ(outcome.exitCode, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("not identical: of "), std::string::npos) << outcome.out;
}

TEST_F(ReplayCliTest, AnInterruptedReplayGoesOn) {
  json config = tinyTraining();
  config["edits"] = json::array();
  expectOk(run({"train", write("long.json", config), "--run", "long"}));
  Program replaying(HEADLIGHT_CLI, {"replay", "long"}, options());
  const fs::path checkpoint = path("long-replay/last.safetensors");
  for (int i = 0; i < 3000 && !fs::exists(checkpoint); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  replaying.send(SIGKILL);
  EXPECT_EQ(replaying.finish().signal, SIGKILL);
  const Outcome outcome = run({"replay", "long"});
  expectOk(outcome);
  EXPECT_NE(outcome.out.find("bit-identical"), std::string::npos) << outcome.out;
}

TEST_F(ReplayCliTest, RefusesUnfinishedRuns) {
  expectError(run({"replay"}), 2, {"needs a RUN"});
  expectError(run({"replay", "nowhere"}), 3, {"nowhere"});
  fs::create_directory(path("half"));
  fs::copy_file(path("a/config.json"), path("half/config.json"));
  expectError(run({"replay", "half"}), 2, {"half", "resume it before the replay"});
}

}  // namespace
}  // namespace headlight::testing
