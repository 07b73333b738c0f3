// SPDX-License-Identifier: GPL-3.0-or-later

// Sweep files made of what varies, and what a sweep is drawn over: against values counted by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/files/Files.h"
#include "core/workbench/sweeps/SweepDesign.h"
#include "core/workbench/sweeps/SweepEstimate.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

Json designBase() {
  Experiment experiment = tinyExperiment();
  experiment.masks = {};
  experiment.telemetry.alsSteps = 0;
  return experimentToJson(experiment);
}

SweepPlan designed(const std::vector<std::string>& factors, std::vector<std::int64_t> seeds = {0}) {
  std::vector<SweepFactor> read;
  for (const std::string& text : factors)
    read.push_back(valueOrThrow(sweepFactor(text)));
  const Json file = valueOrThrow(sweepFile("of the test", designBase(), read, seeds));
  return valueOrThrow(sweepFromText(file.dump(), "test", {}));
}

std::vector<std::string> variantNames(const SweepPlan& plan) {
  std::vector<std::string> names;
  for (const SweepVariant& variant : plan.variants)
    names.push_back(variant.name);
  return names;
}

SweepRow rowNamed(const std::string& name, double mean) {
  SweepRow row;
  row.name = name;
  row.best = {mean, std::numeric_limits<double>::quiet_NaN()};
  return row;
}

TEST(SweepDesign, EveryCombinationIsAVariantAndTheLastVariesFirst) {
  const SweepPlan plan = designed({"masks=none,sch1", "training.epochs=1,2"}, {3, 4});
  EXPECT_EQ(variantNames(plan), (std::vector<std::string>{"none, epochs 1", "none, epochs 2",
                                                          "sch1, epochs 1", "sch1, epochs 2"}));
  EXPECT_EQ(plan.variants[2].experiment.masks.scheme, "sch1");
  EXPECT_EQ(plan.variants[2].experiment.training.epochs, 1);
  EXPECT_EQ(plan.variants[1].experiment.training.epochs, 2);
  EXPECT_EQ(plan.seeds, (std::vector<std::int64_t>{3, 4}));
}

TEST(SweepDesign, OneValueChangesEveryRunAndIsInNoName) {
  const SweepPlan plan = designed({"model.depth=1,2", "training.epochs=7"});
  EXPECT_EQ(variantNames(plan), (std::vector<std::string>{"depth 1", "depth 2"}));
  for (const SweepVariant& variant : plan.variants)
    EXPECT_EQ(variant.experiment.training.epochs, 7);
  EXPECT_EQ(variantNames(designed({"model.depth=2"})), std::vector<std::string>{"depth 2"});
}

TEST(SweepDesign, TheFileOfAPlanIsThePlanAgain) {
  const SweepPlan plan = designed({"data.fraction=0.5,1", "masks=sch2:5"});
  ASSERT_FALSE(plan.file.empty());
  const auto again = valueOrThrow(sweepFromText(plan.file, "again", {}));
  ASSERT_EQ(again.variants.size(), 2u);
  EXPECT_EQ(again.variants[0].experiment.masks.window, 5);
  for (std::size_t v = 0; v < 2; ++v)
    EXPECT_EQ(experimentToJson(again.variants[v].experiment),
              experimentToJson(plan.variants[v].experiment));
  const SweepPlan seeded = valueOrThrow(withSeeds(plan, {5, 6}));
  EXPECT_EQ(seeded.seeds, (std::vector<std::int64_t>{5, 6}));
  EXPECT_EQ(valueOrThrow(sweepFromText(seeded.file, "again", {})).seeds, seeded.seeds);
}

TEST(SweepDesign, SaysWhatIsNoSetting) {
  for (const char* text : {"", "data.fraction", "=1", "data.fraction=", "data.fraction=0.1,,1",
                           "data.fraction=0.1,0.1", "masks=no-such-scheme"}) {
    const auto factor = sweepFactor(text);
    EXPECT_FALSE(factor) << text;
  }
  const auto factor = valueOrThrow(sweepFactor("training.epoch=1,2"));
  const Json file = valueOrThrow(sweepFile("bad", designBase(), {factor}, {0}));
  const auto plan = sweepFromText(file.dump(), "bad", {});
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().text().find("training.epochs"), std::string::npos) << plan.error().text();
  EXPECT_FALSE(sweepFile("none", designBase(), {}, {0}));
  const auto depth = valueOrThrow(sweepFactor("model.depth=1,2"));
  EXPECT_FALSE(sweepFile("twice", designBase(), {depth, depth}, {0}));
  std::string many = "data.fraction=0.001";
  for (int i = 2; i <= 40; ++i)
    many.append(i < 10 ? ",0.00" : ",0.0").append(std::to_string(i));
  std::string epochs = "training.epochs=1";
  for (int i = 2; i <= 40; ++i)
    epochs.append(",").append(std::to_string(i));
  EXPECT_FALSE(sweepFile("many", designBase(),
                         {valueOrThrow(sweepFactor(many)), valueOrThrow(sweepFactor(epochs))},
                         {0}));
}

TEST(SweepDesign, ALongValueIsCutBetweenLettersInNames) {
  const std::string letters = "ä";
  std::string value;
  for (int i = 0; i < 40; ++i)
    value += letters;
  const auto factor = valueOrThrow(sweepFactor("name", "ä," + value));
  EXPECT_EQ(factor.choices[0].label, "ä");
  EXPECT_EQ(factor.choices[1].label, value.substr(0, 60));
  const auto odd = valueOrThrow(sweepFactor("name", "x" + value));
  EXPECT_EQ(odd.choices[0].label, std::string("x").append(value, 0, 58));
}

TEST(SweepDesign, SeedsAreAListOrARange) {
  EXPECT_EQ(valueOrThrow(seedsFromText("0, 2,7")), (std::vector<std::int64_t>{0, 2, 7}));
  EXPECT_EQ(valueOrThrow(seedsFromText("1-3,2,9")), (std::vector<std::int64_t>{1, 2, 3, 9}));
  for (const char* text : {"", "x", "3-1", "-1", "1-", "1.5", "0-99999999", "9999999999999999999"})
    EXPECT_FALSE(seedsFromText(text)) << text;
}

TEST(SweepDesign, AxesAreTheSettingsThatDiffer) {
  const auto axes = sweepAxes(designed({"masks=none,sch1", "data.fraction=0.5,1"}));
  ASSERT_EQ(axes.size(), 2u);
  EXPECT_EQ(axes[0].path, "data.fraction");
  EXPECT_TRUE(axes[0].numeric);
  EXPECT_EQ(axes[0].values, (std::vector<std::string>{"0.5", "1.0", "0.5", "1.0"}));
  EXPECT_EQ(axes[1].path, "masks.scheme");
  EXPECT_FALSE(axes[1].numeric);
}

TEST(SweepDesign, VariantsThatAreOtherwiseAlikeMakeALine) {
  const SweepPlan plan = designed({"masks=none,sch1", "data.fraction=1,0.5"});
  std::vector<SweepRow> rows{rowNamed("none, fraction 1", 0.9), rowNamed("none, fraction 0.5", 0.7),
                             rowNamed("sch1, fraction 1", 0.95)};
  const auto curves = valueOrThrow(sweepCurves(plan, rows, "data.fraction"));
  ASSERT_EQ(curves.series.size(), 2u);
  EXPECT_EQ(curves.series[0].name, "none");
  EXPECT_EQ(curves.series[0].keys, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(curves.series[0].values[0].mean, 0.7);
  EXPECT_EQ(curves.series[1].name, "sch1");
  EXPECT_EQ(curves.series[1].keys, std::vector<double>{1});
  const std::string csv = sweepCurvesCsv(plan, curves);
  EXPECT_EQ(csv,
            "series,\"data.fraction\",mean,deviation\n\"none\",0.5,70,\n\"none\",1,90,\n"
            "\"sch1\",1,95,\n");
  const TemporaryFolder folder;
  for (const char* name : {"curves.png", "curves.pdf", "curves.svg"}) {
    valueOrThrow(writeSweepCurves(folder / name, plan, curves));
    EXPECT_GT(std::filesystem::file_size(folder / name), 1000u) << name;
  }
  EXPECT_FALSE(writeSweepCurves(folder / "curves.tiff", plan, curves));

  const auto bySchemes = valueOrThrow(sweepCurves(plan, rows, "masks.scheme"));
  EXPECT_EQ(bySchemes.labels, (std::vector<std::string>{"none", "sch1"}));
  ASSERT_EQ(bySchemes.series.size(), 2u);
  EXPECT_EQ(bySchemes.series[0].name, "fraction 1");
  EXPECT_EQ(bySchemes.series[0].keys, (std::vector<double>{0, 1}));

  const auto none = sweepCurves(plan, rows, "training.epochs");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text().find("data.fraction"), std::string::npos);
}

TEST(SweepDesign, ResultsAreSeenFromChanceOrFromZero) {
  const SweepPlan plan = designed({"masks=none,sch1"});
  std::vector<SweepRow> rows{rowNamed("none", 0.9), rowNamed("sch1", 0.7)};
  EXPECT_FALSE(sweepReference(plan, rows).isChance);  // how many classes is not known
  EXPECT_EQ(sweepReference(plan, rows).value, 0);
  for (SweepRow& row : rows)
    row.classes = 9;
  EXPECT_TRUE(sweepReference(plan, rows).isChance);
  EXPECT_DOUBLE_EQ(sweepReference(plan, rows).value, 1.0 / 9);
  const TemporaryFolder folder;
  const auto curves = valueOrThrow(sweepCurves(plan, rows, "masks.scheme"));
  valueOrThrow(writeSweepCurves(folder / "curves.svg", plan, curves));
  const std::string svg = valueOrThrow(readFile(folder / "curves.svg", 1u << 20));
  EXPECT_NE(svg.find("chance 11.1"), std::string::npos);
  EXPECT_NE(svg.find("Best top-1 (%), one seed"), std::string::npos);
  EXPECT_NE(sweepMarkdown(plan, rows).find("one seed; guessing gives 11.11 %"), std::string::npos);
  rows[1].classes = 3;
  EXPECT_FALSE(sweepReference(plan, rows).isChance);
}

TEST(SweepDesign, HowManySeedsIsSaid) {
  std::vector<SweepRow> rows{rowNamed("a", 0.5), rowNamed("b", 0.5)};
  for (SweepRow& row : rows)
    row.runs = 1;
  EXPECT_EQ(sweepSeedsText(rows), "one seed");
  rows[0].runs = 3;
  EXPECT_EQ(sweepSeedsText(rows),
            "mean ± sample deviation over 3 seeds; without an interval: one seed");
  rows[1].runs = 3;
  EXPECT_EQ(sweepSeedsText(rows), "mean ± sample deviation over 3 seeds");
}

TEST(SweepDesign, PointsAtOneNameStandSideBySide) {
  SweepCurves curves{"masks.scheme", {"none", "sch1"}, std::vector<SweepSeries>(2)};
  EXPECT_LT(curves.drawnKey(0, 1), 1);
  EXPECT_GT(curves.drawnKey(1, 1), 1);
  EXPECT_LT(curves.drawnKey(1, 0), curves.drawnKey(0, 1));
  curves.labels.clear();  // numbers stay where they are
  EXPECT_EQ(curves.drawnKey(1, 1), 1);
}

TEST(SweepDesign, TheFiguresOfThePapersHaveTheirLines) {
  const auto plan =
      valueOrThrow(readSweep(HEADLIGHT_SOURCE_DIR "/models/presets/sweeps/ibit-figure4.json"));
  std::vector<SweepRow> rows;
  for (const SweepVariant& variant : plan.variants)
    rows.push_back(rowNamed(variant.name, 0.5));
  const auto curves = valueOrThrow(sweepCurves(plan, rows, "data.fraction"));
  ASSERT_EQ(curves.series.size(), 2u);
  EXPECT_EQ(curves.series[0].name, "IBiT");
  EXPECT_EQ(curves.series[1].name, "DeiT");
  EXPECT_EQ(curves.series[1].keys, (std::vector<double>{0.05, 0.1, 0.3, 0.5, 1}));
}

TEST(SweepDesign, EachBiasIsALineOverTheShareOfTheData) {
  const auto plan =
      valueOrThrow(readSweep(HEADLIGHT_SOURCE_DIR "/models/presets/sweeps/bias-cifar10.json"));
  std::vector<SweepRow> rows;
  for (const SweepVariant& variant : plan.variants) {
    rows.push_back(rowNamed(variant.name, 0.5));
    rows.back().best.deviation = 0.01;
  }
  const auto curves = valueOrThrow(sweepCurves(plan, rows, "data.fraction"));
  std::vector<std::string> names;
  for (const SweepSeries& series : curves.series) {
    names.push_back(series.name);
    EXPECT_EQ(series.keys, (std::vector<double>{0.1, 0.25, 0.5, 1})) << series.name;
    EXPECT_EQ(series.values[0].deviation, 0.01) << series.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"DeiT", "MaiT hard", "MaiT soft", "IBiT", "ConViT",
                                             "Castling", "LSLA", "AFT-conv"}));
}

TEST(SweepEstimate, CountsTheRunsThatAreLeft) {
  const TemporaryFolder folder;
  const SweepPlan plan = designed({"masks=none,sch1", "training.epochs=1,2"}, {1});
  const auto before = valueOrThrow(estimateSweep(plan, folder / "out", {}, {}));
  EXPECT_EQ(before.runs, 4);
  EXPECT_EQ(before.left, 4);
  ASSERT_EQ(before.secondsOfRun.size(), 4u);
  double sum = 0;
  for (const double seconds : before.secondsOfRun) {
    EXPECT_GT(seconds, 0);
    sum += seconds;
  }
  EXPECT_DOUBLE_EQ(before.seconds, sum);
  // Their steps are alike: twice the epochs take twice as long.
  EXPECT_NEAR(before.secondsOfRun[1], 2 * before.secondsOfRun[0], 1e-9);
  EXPECT_FALSE(std::filesystem::exists(folder / "out")) << "nothing is written";

  SweepReport reported;
  SweepObserver observer;
  observer.table = [&](const SweepReport& report) { reported = report; };
  valueOrThrow(runSweep(plan, folder / "out", {false, 32, false}, observer, {}));
  EXPECT_EQ(reported.finished, 4);
  const auto after = valueOrThrow(estimateSweep(plan, folder / "out", {}, {}));
  EXPECT_EQ(after.left, 0);
  EXPECT_EQ(after.seconds, 0);
  const auto report = valueOrThrow(sweepReport(plan, folder / "out"));
  ASSERT_EQ(report.rows.size(), 4u);
  EXPECT_EQ(report.rows[3].best.mean, reported.rows[3].best.mean);
  // The folder says by itself what it is.
  const auto again = valueOrThrow(readSweep(folder / "out"));
  EXPECT_EQ(variantNames(again), variantNames(plan));
  EXPECT_EQ(valueOrThrow(sweepReport(again, folder / "out")).finished, 4);
}

TEST(SweepEstimate, SaysWhichVariantCannotBeTrained) {
  Json base = designBase();
  base["data"] = {{"dataset", "image-folder"}, {"path", "/nowhere/at/all"}};
  const auto factor = valueOrThrow(sweepFactor("model.depth=1,2"));
  const Json file = valueOrThrow(sweepFile("gone", base, {factor}, {0}));
  const auto plan = valueOrThrow(sweepFromText(file.dump(), "gone", {}));
  const auto estimate = estimateSweep(plan, "nowhere", {}, {});
  ASSERT_FALSE(estimate);
  EXPECT_EQ(estimate.error().where, "depth 1");
  EXPECT_NE(estimate.error().text().find("depth 1"), std::string::npos) << estimate.error().text();
  std::stop_source stop;
  stop.request_stop();
  const auto stopped =
      estimateSweep(designed({"model.depth=1,2"}), "nowhere", {}, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Canceled);
}

}  // namespace
}  // namespace headlight
