// SPDX-License-Identifier: GPL-3.0-or-later

// Runs beside runs, from made-up folders.

#include "core/workbench/runs/RunList.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "core/workbench/runs/FollowedRuns.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

void writeRun(const fs::path& folder, const Experiment& experiment, double top1) {
  fs::create_directories(folder);
  std::ofstream(folder / "config.json") << experimentToText(experiment);
  std::ofstream(folder / "metrics.jsonl")
      << Json{{"type", "step"}, {"step", 5}, {"steps", 10}, {"epoch", 0}, {"loss", 2.5}}.dump()
      << "\n"
      << Json{{"type", "epoch"}, {"step", 5}, {"epoch", 1}, {"top1", top1}}.dump() << "\n";
}

std::vector<ListedRun> listRuns(std::vector<fs::path> named) {
  FollowedRuns followed;
  followed.setFolders(std::move(named));
  followed.poll(std::numeric_limits<double>::infinity());
  return followed.runs();
}

TEST(RunList, RunsOfAFolderAreListedWithTheirNumbers) {
  const TemporaryFolder folder;
  Experiment experiment;
  experiment.name = "a \"run\"";
  experiment.training.epochs = 2;
  writeRun(folder / "sweep/b/seed-0", experiment, 0.25);
  writeRun(folder / "sweep/a/seed-0", experiment, 0.5);
  const auto runs = listRuns({folder / "sweep"});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].label, "a/seed-0");
  EXPECT_EQ(runs[0].standing.numbers.bestScore, 0.5);
  EXPECT_EQ(runs[1].standing.name, "a \"run\"");
  const std::string csv = runsCsv(runs);
  EXPECT_NE(csv.find("\"b/seed-0\",stopped,") == std::string::npos
                ? csv.find("\"b/seed-0\",cut off,")
                : 0,
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",0.25,0.25,,\"a \"\"run\"\"\",\""), std::string::npos) << csv;
  const auto one = listRuns({folder / "sweep/a/seed-0"});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].label, "seed-0");
  EXPECT_TRUE(listRuns({folder / "nothing"}).empty());
}

TEST(RunList, AStoppedRoundGoesOnTheNextTime) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b", "c"})
    writeRun(folder / name, {}, 0.1);
  std::stop_source stop;
  FollowedRuns followed;
  followed.setFolders({folder.path()});
  const auto notify = [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, 1u);
    EXPECT_EQ(all, 3u);
    stop.request_stop();
  };
  const double all = std::numeric_limits<double>::infinity();
  EXPECT_EQ(followed.poll(all, stop.get_token(), notify).waiting, 2u);
  auto runs = followed.runs();
  EXPECT_TRUE(runs.at(0).looked);
  EXPECT_FALSE(runs.at(1).looked);
  EXPECT_EQ(followed.poll(all).waiting, 0u);
  EXPECT_TRUE(followed.runs().at(2).looked);
}

TEST(RunList, OfSeveralFoldersTheLabelSaysWhich) {
  const TemporaryFolder folder;
  for (const char* name : {"one/a", "two/a", "alone"})
    writeRun(folder / name, {}, 0.1);
  const auto runs = listRuns({folder / "two", folder / "alone/", folder / "one", folder / "two"});
  ASSERT_EQ(runs.size(), 3u) << "each once";
  EXPECT_EQ(runs[0].label, "two/a");
  EXPECT_EQ(runs[1].label, "alone");
  EXPECT_EQ(runs[2].label, "one/a");
}

TEST(RunList, TheConfigIsSaidInAFewWords) {
  ListedRun run;
  EXPECT_EQ(configSummary(run), "");
  Experiment experiment;
  experiment.model.mechanism = "performer";
  experiment.training.epochs = 7;
  run.experiment = std::make_shared<const Experiment>(experiment);
  EXPECT_EQ(configSummary(run), "vit, performer, 12 layers x 3 heads, width 192, 7 epochs");
  Experiment continued = *run.experiment;
  continued.training.weights = "/runs/a/best.safetensors";
  run.experiment = std::make_shared<const Experiment>(continued);
  EXPECT_EQ(configSummary(run),
            "vit, performer, 12 layers x 3 heads, width 192, 7 epochs, from run a · best");
}

TEST(RunList, SettingsThatDifferHaveAValueForEach) {
  const auto experimentWith = [](std::int64_t epochs, double rate) {
    Experiment experiment;
    experiment.name = std::to_string(epochs);
    experiment.training.epochs = epochs;
    experiment.training.learningRate = rate;
    return std::make_shared<const Experiment>(experiment);
  };
  const auto rows = settingDifferences(
      {experimentWith(5, 0.1), experimentWith(5, 0.2), experimentWith(7, 0.1), nullptr});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].path, "training.learning_rate");
  EXPECT_EQ(rows[0].values, (std::vector<std::string>{"0.1", "0.2", "0.1", "0.1"}));
  EXPECT_EQ(rows[1].values, (std::vector<std::string>{"5", "5", "7", "5"}));
  EXPECT_TRUE(settingDifferences({}).empty());
}

}  // namespace
}  // namespace headlight
