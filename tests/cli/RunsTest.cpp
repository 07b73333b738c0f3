// runs: folders of runs as a table, sorted, with the settings that differ.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class RunsCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    const auto config = write("config.json", tinyTraining());
    expectOk(run({"train", config, "--run", "all/short", "--training.epochs", "1"}));
    expectOk(run({"train", config, "--run", "all/in/long", "--training.epochs", "2"}));
  }
};

TEST_F(RunsCliTest, RunsAreListedWithWhatDiffers) {
  const Outcome outcome =
      run({"runs", "all", "--differences", "--sort", "loss", "--csv", "runs.csv", "--json"});
  expectOk(outcome);
  const json told = outcome.json();
  ASSERT_EQ(told["runs"].size(), 2u);
  EXPECT_LE(told["runs"][0]["loss"], told["runs"][1]["loss"]);
  for (const json& one : told["runs"])
    EXPECT_EQ(one["state"], "finished");
  ASSERT_EQ(told["differences"].size(), 1u);
  EXPECT_EQ(told["differences"][0]["path"], "training.epochs");
  const std::string csv = readBytes(path("runs.csv"));
  EXPECT_NE(csv.find("\"in/long\",finished,2,2,"), std::string::npos) << csv;
  // As watch tells it.
  const json watched = run({"watch", "all/short", "--once", "--json"}).json()["runs"][0];
  const json& same = told["runs"][told["runs"][0]["run"] == watched["run"] ? 0 : 1];
  EXPECT_EQ(same["best_top1"], watched["best_top1"]);
  const Outcome text = run({"runs", "all", "--differences"});
  expectOk(text);
  EXPECT_NE(text.out.find("training.epochs\n  in/long: 2\n  short: 1\n"), std::string::npos)
      << text.out;
}

TEST_F(RunsCliTest, WhatHoldsNoRunIsSaid) {
  fs::create_directory(path("empty"));
  expectError(run({"runs"}), 2, {"needs a FOLDER"});
  expectError(run({"runs", "empty"}), 3, {"empty", "no run"});
  expectError(run({"runs", "all", "--sort", "name"}), 2, {"--sort"});
}

}  // namespace
}  // namespace headlight::testing
