// Runs beside runs, from made-up folders and histories.

#include "core/workbench/RunList.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

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
  EXPECT_EQ(runs[0].standing.numbers.bestTop1, 0.5);
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

TEST(RunList, AStoppedListHasWhatWasRead) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b", "c"})
    writeRun(folder / name, {}, 0.1);
  std::stop_source stop;
  const auto runs = listRuns(
      {folder.path()}, [&](const Progress&) { stop.request_stop(); }, stop.get_token());
  EXPECT_EQ(runs.size(), 1u);
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

TEST(RunList, CurvesGoOverStepsOrEpochs) {
  RunHistory history;
  history.steps = {{0, 3, 0, 0, {}, {}},
                   {5, 2, 0, 0, {}, {}},
                   {10, std::nan(""), 0, 0, {}, {}},
                   {15, 1, 0, 0, {}, {}},
                   {25, 0.5, 0, 0, {}, {}}};
  history.epochPoints = {{1, 10, 0, 2.0, 0.25, 0}, {2, 20, 0, 1.0, 0.5, 0}};
  history.heads = {{10, {{0.2F, 0.4F}, {}}, {}, {}, 0}};
  const RunCurve steps = curveOf(history, RunQuantity::TrainLoss, RunAxis::Step);
  EXPECT_EQ(steps.keys, (std::vector<double>{0, 5, 15, 25}));
  EXPECT_EQ(steps.values, (std::vector<double>{3, 2, 1, 0.5}));
  EXPECT_EQ(curveOf(history, RunQuantity::TrainLoss, RunAxis::Epoch).keys,
            (std::vector<double>{0, 0.5, 1.5, 2.5}));
  EXPECT_EQ(curveOf(history, RunQuantity::Top1, RunAxis::Epoch).keys, (std::vector<double>{1, 2}));
  EXPECT_EQ(curveOf(history, RunQuantity::Top1, RunAxis::Step).values,
            (std::vector<double>{25, 50}));
  EXPECT_NEAR(curveOf(history, RunQuantity::Locality, RunAxis::Step).values.at(0), 0.3, 1e-6);
  history.epochPoints.clear();
  EXPECT_TRUE(curveOf(history, RunQuantity::TrainLoss, RunAxis::Epoch).keys.empty());
}

}  // namespace
}  // namespace headlight
