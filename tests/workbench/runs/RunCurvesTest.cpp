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
  const RunCurve steps = curveOf(history, "loss", RunAxis::Step);
  EXPECT_EQ(steps.keys, (Values{0, 5, 15, 25}));
  EXPECT_EQ(steps.values, (Values{3, 2, 1, 0.5}));
  EXPECT_EQ(curveOf(history, "loss", RunAxis::Epoch).keys, (Values{0, 0.5, 1.5, 2.5}));
  EXPECT_EQ(curveOf(history, "top1", RunAxis::Epoch).keys, (Values{1, 2}));
  EXPECT_EQ(curveOf(history, "top1", RunAxis::Step).values, (Values{25, 50}));
  EXPECT_EQ(curveOf(history, "validation_loss", RunAxis::Step).values, (Values{2, 1}));
  EXPECT_NEAR(curveOf(history, "als", RunAxis::Step).values.at(0), 0.3, 1e-6);
  history.epochPoints.clear();
  const RunCurve none = curveOf(history, "loss", RunAxis::Epoch);
  EXPECT_TRUE(none.keys.empty());
  EXPECT_NE(none.missing.find("no validation"), std::string::npos) << none.missing;
}

/// Epochs of 60 and 180 s at 10 steps each: a minute, and then four.
TEST(RunCurves, GoOverTimeAsFarAsTheLogSaysIt) {
  RunHistory history = loggedHistory();
  history.times = {{1, 60}, {2, 180}};
  const RunCurve loss = curveOf(history, "loss", RunAxis::Time);
  ASSERT_EQ(loss.keys.size(), 3u);
  EXPECT_DOUBLE_EQ(loss.keys[0], 0);
  EXPECT_DOUBLE_EQ(loss.keys[1], 0.5);
  EXPECT_DOUBLE_EQ(loss.keys[2], 1 + 3 * 0.5);
  EXPECT_NE(loss.missing.find("after the last epoch"), std::string::npos) << loss.missing;
  const RunCurve top1 = curveOf(history, "top1", RunAxis::Time);
  EXPECT_EQ(top1.keys, (Values{1, 4}));
  EXPECT_EQ(top1.missing, "");
  history.times = {{2, 180}};  // the first epoch's is lost: nothing is made up
  EXPECT_TRUE(curveOf(history, "top1", RunAxis::Time).keys.empty());
  history.times.clear();
  EXPECT_NE(curveOf(history, "loss", RunAxis::Time).missing.find("no time"), std::string::npos);
}

TEST(RunCurves, ReadingsOfMechanismsAreAmongThem) {
  RunHistory history = loggedHistory();
  history.steps[0].gradientNorm = 1.5;
  history.steps[1].auxiliaryLoss = 0.25;
  history.steps[3].distillationLoss = 0.75;
  history.heads = {
      {10, {{0.5F}, {0.5F}}, {{NAN}, {0.25F}}, {{{"nonzeros", 0.2}}, {{"nonzeros", 0.4}}}, 0},
      {20, {{0.5F}, {0.5F}}, {{NAN}, {0.5F}}, {{}, {{"nonzeros", 0.1}}}, 0}};
  const RunCurve nonzeros = curveOf(history, "nonzeros", RunAxis::Step);
  EXPECT_EQ(nonzeros.keys, (Values{10, 20}));
  EXPECT_NEAR(nonzeros.values.at(0), 0.3, 1e-12);
  EXPECT_DOUBLE_EQ(nonzeros.values.at(1), 0.1);
  EXPECT_EQ(curveOf(history, "alpha", RunAxis::Step).values, (Values{0.25, 0.5}));
  EXPECT_EQ(curveOf(history, "gradient_norm", RunAxis::Step).values, (Values{1.5}));
  EXPECT_EQ(curveOf(history, "auxiliary_loss", RunAxis::Step).keys, (Values{5}));
  EXPECT_EQ(curveOf(history, "distillation_loss", RunAxis::Step).keys, (Values{15}));
  std::vector<std::string> keys;
  for (const RunQuantity& told : quantitiesIn({&history, nullptr}))
    keys.push_back(told.key);
  for (const char* key : {"loss", "validation_loss", "top1", "als", "alpha", "distillation_loss",
                          "auxiliary_loss", "gradient_norm", "nonzeros"})
    EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << key;
  EXPECT_EQ(keys.front(), "loss");
  EXPECT_EQ(keys.back(), "nonzeros");
  EXPECT_FALSE(curveOf(history, "no such", RunAxis::Step).missing.empty());
}

}  // namespace
}  // namespace headlight
