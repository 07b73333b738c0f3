// SPDX-License-Identifier: GPL-3.0-or-later

// What a run's log has numbers of, over steps, epochs and time; checked against plain sums.

#include "core/workbench/runs/RunCurves.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headlight {
namespace {

RunHistory loggedHistory() {
  RunHistory history;
  history.steps = {{0, 3, 0, 0, {}, {}},
                   {5, 2, 0, 0, {}, {}},
                   {10, std::nan(""), 0, 0, {}, {}},
                   {15, 1, 0, 0, {}, {}},
                   {25, 0.5, 0, 0, {}, {}}};
  history.epochPoints = {{1, 10, 0, 2.0, 0.25, 0}, {2, 20, 0, 1.0, 0.5, 0}};
  history.heads = {{10, {{0.2F, 0.4F}, {}}, {}, {}, 0}};
  return history;
}

using Values = std::vector<double>;

TEST(RunCurves, GoOverStepsOrEpochs) {
  RunHistory history = loggedHistory();
  const RunCurve steps = makeRunCurve(history, "loss", RunAxis::Step);
  EXPECT_EQ(steps.keys, (Values{0, 5, 15, 25}));
  EXPECT_EQ(steps.values, (Values{3, 2, 1, 0.5}));
  EXPECT_EQ(makeRunCurve(history, "loss", RunAxis::Epoch).keys, (Values{0, 0.5, 1.5, 2.5}));
  EXPECT_EQ(makeRunCurve(history, "top1", RunAxis::Epoch).keys, (Values{1, 2}));
  EXPECT_EQ(makeRunCurve(history, "top1", RunAxis::Step).values, (Values{25, 50}));
  EXPECT_EQ(makeRunCurve(history, "validation_loss", RunAxis::Step).values, (Values{2, 1}));
  EXPECT_NEAR(makeRunCurve(history, "als", RunAxis::Step).values.at(0), 0.3, 1e-6);
  history.epochPoints.clear();
  const RunCurve none = makeRunCurve(history, "loss", RunAxis::Epoch);
  EXPECT_TRUE(none.keys.empty());
  EXPECT_NE(none.missing.find("no validation"), std::string::npos) << none.missing;
}

TEST(RunCurves, BeginWithTheStartingWeights) {
  RunHistory history = loggedHistory();
  history.start = EpochPoint{0, 0, 0, 3.0, 0.125, 0};
  for (const RunAxis axis : {RunAxis::Step, RunAxis::Epoch}) {
    const RunCurve loss = makeRunCurve(history, "validation_loss", axis);
    EXPECT_EQ(loss.values, (Values{3, 2, 1}));
    EXPECT_EQ(loss.keys.front(), 0);
  }
  EXPECT_EQ(makeRunCurve(history, "top1", RunAxis::Step).values, (Values{12.5, 25, 50}));
  history.epochPoints.clear();  // stopped within the first epoch
  EXPECT_EQ(defaultQuantity({&history}), "validation_loss");
}

TEST(RunCurves, OnlyTrainingIsSmoothedOverSteps) {
  const RunHistory history = loggedHistory();
  const RunCurve loss = makeRunCurve(history, "loss", RunAxis::Step, 10);
  ASSERT_EQ(loss.values.size(), 4u);
  // A value counts 0.9 as much a step later: naively, over the steps 0, 5, 15 and 25.
  const double past = std::pow(0.9, 5), gained = 1 - past;
  EXPECT_DOUBLE_EQ(loss.values[0], 3);
  EXPECT_NEAR(loss.values[1], (past * 0.1 * 3 + gained * 2) / (past * 0.1 + gained), 1e-12);
  EXPECT_GT(loss.values[3], 0.5);
  EXPECT_EQ(makeRunCurve(history, "validation_loss", RunAxis::Step, 10).values, (Values{2, 1}));
  EXPECT_EQ(makeRunCurve(history, "loss", RunAxis::Step, 1).values, (Values{3, 2, 1, 0.5}));
  EXPECT_EQ(smoothedTitle({"loss", "training loss"}, 20), "training loss, smoothed over 20 steps");
  EXPECT_EQ(smoothedTitle({"top1", "top-1, %"}, 20), "top-1, %");
}

TEST(RunCurves, ValidationIsShownFirst) {
  RunHistory history = loggedHistory();
  EXPECT_EQ(defaultQuantity({}), "validation_loss");
  EXPECT_EQ(defaultQuantity({&history}), "validation_loss");
  history.epochPoints.clear();
  EXPECT_EQ(defaultQuantity({&history}), "loss");
}

/// Epochs of 60 and 180 s at 10 steps each: a minute, and then four.
TEST(RunCurves, GoOverTimeAsFarAsTheLogSaysIt) {
  RunHistory history = loggedHistory();
  history.times = {{1, 60}, {2, 180}};
  const RunCurve loss = makeRunCurve(history, "loss", RunAxis::Time);
  ASSERT_EQ(loss.keys.size(), 3u);
  EXPECT_DOUBLE_EQ(loss.keys[0], 0);
  EXPECT_DOUBLE_EQ(loss.keys[1], 0.5);
  EXPECT_DOUBLE_EQ(loss.keys[2], 1 + 3 * 0.5);
  EXPECT_NE(loss.missing.find("after the last finished epoch"), std::string::npos) << loss.missing;
  const RunCurve top1 = makeRunCurve(history, "top1", RunAxis::Time);
  EXPECT_EQ(top1.keys, (Values{1, 4}));
  EXPECT_EQ(top1.missing, "");
  history.times = {{2, 180}};  // the first epoch's is lost: nothing is made up
  EXPECT_TRUE(makeRunCurve(history, "top1", RunAxis::Time).keys.empty());
  history.times.clear();
  EXPECT_NE(makeRunCurve(history, "loss", RunAxis::Time).missing.find("no time"),
            std::string::npos);
}

TEST(RunCurves, ReadingsOfMechanismsAreAmongThem) {
  RunHistory history = loggedHistory();
  history.steps[0].gradientNorm = 1.5;
  history.steps[1].auxiliaryLoss = 0.25;
  history.steps[3].distillationLoss = 0.75;
  history.heads = {
      {10, {{0.5F}, {0.5F}}, {{NAN}, {0.25F}}, {{{"nonzeros", 0.2}}, {{"nonzeros", 0.4}}}, 0},
      {20, {{0.5F}, {0.5F}}, {{NAN}, {0.5F}}, {{}, {{"nonzeros", 0.1}}}, 0}};
  const RunCurve nonzeros = makeRunCurve(history, "nonzeros", RunAxis::Step);
  EXPECT_EQ(nonzeros.keys, (Values{10, 20}));
  EXPECT_NEAR(nonzeros.values.at(0), 0.3, 1e-12);
  EXPECT_DOUBLE_EQ(nonzeros.values.at(1), 0.1);
  EXPECT_EQ(makeRunCurve(history, "alpha", RunAxis::Step).values, (Values{0.25, 0.5}));
  EXPECT_EQ(makeRunCurve(history, "gradient_norm", RunAxis::Step).values, (Values{1.5}));
  EXPECT_EQ(makeRunCurve(history, "auxiliary_loss", RunAxis::Step).keys, (Values{5}));
  EXPECT_EQ(makeRunCurve(history, "distillation_loss", RunAxis::Step).keys, (Values{15}));
  std::vector<std::string> keys;
  for (const RunQuantity& reported : quantitiesIn({&history, nullptr}))
    keys.push_back(reported.key);
  for (const char* key : {"loss", "validation_loss", "top1", "als", "alpha", "distillation_loss",
                          "auxiliary_loss", "gradient_norm", "nonzeros"})
    EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << key;
  EXPECT_EQ(keys.front(), "loss");
  EXPECT_EQ(keys.back(), "nonzeros");
  EXPECT_FALSE(makeRunCurve(history, "no such", RunAxis::Step).missing.empty());
}

}  // namespace
}  // namespace headlight
