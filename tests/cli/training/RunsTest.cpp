// SPDX-License-Identifier: GPL-3.0-or-later

// runs: folders of runs as a table, sorted, with the settings that differ.

#include <sstream>

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
  const json reported = outcome.json();
  ASSERT_EQ(reported["runs"].size(), 2u);
  EXPECT_LE(reported["runs"][0]["loss"], reported["runs"][1]["loss"]);
  for (const json& one : reported["runs"])
    EXPECT_EQ(one["state"], "finished");
  ASSERT_EQ(reported["differences"].size(), 1u);
  EXPECT_EQ(reported["differences"][0]["path"], "training.epochs");
  const std::string csv = readBytes(path("runs.csv"));
  EXPECT_NE(csv.find("\"in/long\",finished,2,2,"), std::string::npos) << csv;
  // As watch tells it.
  const json watched = run({"watch", "all/short", "--once", "--json"}).json()["runs"][0];
  const json& same = reported["runs"][reported["runs"][0]["run"] == watched["run"] ? 0 : 1];
  EXPECT_EQ(same["best_top1"], watched["best_top1"]);
  const Outcome text = run({"runs", "all", "--differences"});
  expectOk(text);
  EXPECT_NE(text.out.find("training.epochs\n  in/long: 2\n  short: 1\n"), std::string::npos)
      << text.out;
}

TEST_F(RunsCliTest, CurvesAreOneFigureOrTheirNumbers) {
  for (const char* name : {"c.pdf", "c.svg", "c.png", "c.csv"})
    expectOk(run(
        {"runs", "all", "--figure", name, "--quantity", "validation_loss", "--over", "epochs"}));
  EXPECT_TRUE(readBytes(path("c.pdf")).starts_with("%PDF-"));
  const std::string svg = readBytes(path("c.svg"));
  for (const char* words : {">validation loss<", ">epoch<", ">in/long<", ">short<"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  // The table of the run itself says the same.
  std::istringstream table(readBytes(path("all/in/long/metrics.csv")));
  std::istringstream rows(readBytes(path("c.csv")));
  std::string row, line;
  std::getline(table, line);
  std::getline(rows, row);
  EXPECT_EQ(row, "line,epoch,value");
  ASSERT_TRUE(std::getline(rows, row));
  EXPECT_TRUE(row.starts_with("in/long,0,")) << row;  // the starting weights
  for (int epoch = 1; epoch <= 2; ++epoch) {
    ASSERT_TRUE(std::getline(rows, row) && std::getline(table, line));
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');)
      cells.push_back(cell);
    EXPECT_EQ(row.substr(0, 10), std::string("in/long,") + std::to_string(epoch) + ",");
    EXPECT_NEAR(std::stod(row.substr(10)), std::stod(cells.at(4)), 1e-8);
  }
  ASSERT_TRUE(std::getline(rows, row));
  EXPECT_TRUE(row.starts_with("short,0,")) << row;
  ASSERT_TRUE(std::getline(rows, row));
  EXPECT_TRUE(row.starts_with("short,1,")) << row;
  const Outcome timed = run({"runs", "all", "--figure", "t.csv", "--over", "time"});
  expectOk(timed);
  EXPECT_NE(readBytes(path("t.csv")).find("in/long,"), std::string::npos);
}

TEST_F(RunsCliTest, AFigureOfNothingIsAnError) {
  expectError(run({"runs", "all", "--figure", "c.txt"}), 2, {"c.txt", ".pdf"});
  expectError(run({"runs", "all", "--figure", "c.pdf", "--quantity", "beauty"}), 2,
              {"beauty", "gradient_norm", "als"});
  expectError(run({"runs", "all", "--figure", "c.pdf", "--over", "weeks"}), 2, {"--over"});
  const Outcome none = run({"runs", "all", "--figure", "c.pdf", "--quantity", "distillation_loss"});
  EXPECT_EQ(none.exitCode, 3) << none.err;
  EXPECT_NE(none.err.find("nothing to plot"), std::string::npos) << none.err;
  EXPECT_FALSE(fs::exists(path("c.pdf")));
}

TEST_F(RunsCliTest, WeightsThatWereKeptAreNamed) {
  const json reported = run({"runs", "all/short", "--checkpoints", "--json"}).json()["runs"][0];
  ASSERT_EQ(reported["checkpoints"].size(), 2u);
  EXPECT_EQ(reported["checkpoints"][0], "all/short/best.safetensors");
  const Outcome text = run({"runs", "all", "--checkpoints"});
  expectOk(text);
  EXPECT_NE(text.out.find("in/long\n  all/in/long/best.safetensors\n"), std::string::npos)
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
