// SPDX-License-Identifier: GPL-3.0-or-later

// The learning rate, the loss, accuracy and the moving average, against plain arithmetic.

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/training/step/Loss.h"
#include "core/training/step/Schedule.h"
#include "core/training/step/WeightAverage.h"

namespace headlight {
namespace {

TEST(Schedule, WarmsUpAndFollowsTheCosine) {
  TrainingConfig config;
  config.epochs = 10;
  config.learningRate = 1.0;
  config.minLearningRate = 0.1;
  config.warmupLearningRate = 0.2;
  config.warmupEpochs = 2;
  const Schedule schedule(scheduleOptions(config, 10));
  EXPECT_EQ(schedule.totalSteps(), 100);
  EXPECT_EQ(schedule.warmupSteps(), 20);
  EXPECT_DOUBLE_EQ(schedule.learningRate(0), 0.2);
  EXPECT_DOUBLE_EQ(schedule.learningRate(10), 0.6);
  EXPECT_DOUBLE_EQ(schedule.learningRate(19), 0.2 + 0.8 * 19 / 20);
  // The cosine runs over all 100 steps: at its half the mean, at a quarter of the way cos 45°.
  EXPECT_NEAR(schedule.learningRate(50), 0.55, 1e-12);
  EXPECT_NEAR(schedule.learningRate(25), 0.1 + 0.45 * (1 + std::sqrt(0.5)), 1e-12);
  EXPECT_NEAR(schedule.learningRate(75), 0.1 + 0.45 * (1 - std::sqrt(0.5)), 1e-12);
  EXPECT_DOUBLE_EQ(schedule.learningRate(100), 0.1);
  EXPECT_DOUBLE_EQ(schedule.learningRate(1000), 0.1);
}

TEST(Schedule, WithoutWarmUpBeginsAtThePeak) {
  TrainingConfig config;
  config.epochs = 4;
  config.learningRate = 0.5;
  config.warmupEpochs = 0;
  EXPECT_DOUBLE_EQ(Schedule(scheduleOptions(config, 3)).learningRate(0), 0.5);
}

TEST(Schedule, FollowsAPowerOfWhatIsLeft) {
  TrainingConfig config;
  config.epochs = 10;
  config.schedule = "poly";
  config.learningRate = 1;
  config.minLearningRate = 0.1;
  config.warmupEpochs = 0;
  const Schedule schedule(scheduleOptions(config, 8));
  EXPECT_DOUBLE_EQ(schedule.learningRate(0), 1);
  EXPECT_NEAR(schedule.learningRate(40), 0.1 + 0.9 * std::exp(0.9 * std::log(0.5)), 1e-12);
  EXPECT_NEAR(schedule.learningRate(60), 0.1 + 0.9 * std::exp(0.9 * std::log(0.25)), 1e-12);
  EXPECT_DOUBLE_EQ(schedule.learningRate(80), 0.1);
  EXPECT_DOUBLE_EQ(schedule.learningRate(800), 0.1);
}

TEST(Schedule, DecaysByAFactorAnEpochOrSomeEpochs) {
  TrainingConfig config;
  config.epochs = 9;
  config.learningRate = 1;
  config.warmupEpochs = 1;
  config.minLearningRate = 0.2;
  config.decayRate = 0.5;
  config.decayEpochs = 3;
  const auto rateAt = [&](const char* kind, std::int64_t step) {
    config.schedule = kind;
    return Schedule(scheduleOptions(config, 4)).learningRate(step);
  };
  for (const char* kind : {"exponential", "step", "constant"})
    EXPECT_NEAR(rateAt(kind, 2), config.warmupLearningRate + 0.5 * (1 - config.warmupLearningRate),
                1e-12)
        << kind << ": the warm-up comes first";
  EXPECT_DOUBLE_EQ(rateAt("exponential", 4), 0.5);
  EXPECT_DOUBLE_EQ(rateAt("exponential", 7), 0.5);
  EXPECT_DOUBLE_EQ(rateAt("exponential", 8), 0.25);
  EXPECT_DOUBLE_EQ(rateAt("exponential", 12), 0.2) << "never below the least";
  EXPECT_DOUBLE_EQ(rateAt("step", 11), 1);
  EXPECT_DOUBLE_EQ(rateAt("step", 12), 0.5);
  EXPECT_DOUBLE_EQ(rateAt("step", 24), 0.25);
  EXPECT_DOUBLE_EQ(rateAt("constant", 35), 1);
}

/// Vaswani et al. 2017, Eq. 3, with the peak in place of d^−½ · W^−½: the rate is
/// peak · √W · min(t^−½, t · W^−1.5).
TEST(Schedule, FallsWithTheInverseRootOfTheStep) {
  TrainingConfig config;
  config.epochs = 100;
  config.schedule = "inverse_sqrt";
  config.learningRate = 0.3;
  config.minLearningRate = 0;
  config.warmupLearningRate = 0;
  config.warmupEpochs = 4;
  const Schedule schedule(scheduleOptions(config, 25));
  const double warmup = 100;
  for (const double t : {1.0, 40.0, 99.0, 100.0, 101.0, 400.0, 1600.0, 2499.0}) {
    const double factor = std::min(1 / std::sqrt(t), t / (warmup * std::sqrt(warmup)));
    EXPECT_NEAR(schedule.learningRate(static_cast<std::int64_t>(t)),
                0.3 * std::sqrt(warmup) * factor, 1e-15)
        << t;
  }
  EXPECT_DOUBLE_EQ(schedule.learningRate(400), 0.15);
  config.minLearningRate = 0.2;
  EXPECT_DOUBLE_EQ(Schedule(scheduleOptions(config, 25)).learningRate(400), 0.2);
}

TEST(Schedule, TheInverseRootNeedsNoWarmUp) {
  TrainingConfig config;
  config.schedule = "inverse_sqrt";
  config.learningRate = 0.3;
  config.warmupEpochs = 0;
  const Schedule schedule(scheduleOptions(config, 10));
  EXPECT_DOUBLE_EQ(schedule.learningRate(0), 0.3);
  EXPECT_DOUBLE_EQ(schedule.learningRate(1), 0.3);
  EXPECT_DOUBLE_EQ(schedule.learningRate(9), 0.1);
}

TEST(Schedule, ARateThatIsGivenForABatchIsScaledToTheOneInUse) {
  TrainingConfig config;
  config.learningRate = 5e-4;
  config.batchSize = 1024;
  EXPECT_DOUBLE_EQ(peakLearningRate(config), 5e-4);
  config.learningRatePer = 512;
  EXPECT_DOUBLE_EQ(peakLearningRate(config), 1e-3);
  config.warmupEpochs = 0;
  EXPECT_DOUBLE_EQ(Schedule(scheduleOptions(config, 3)).learningRate(0), 1e-3);
  EXPECT_DOUBLE_EQ(scheduleOptions(config, 3).minimum, config.minLearningRate) << "as given";
}

TEST(Loss, SmoothsLabelsAsTheFormulaSays) {
  const at::Tensor logits = at::tensor({2.0, -1.0, 0.5, 0.0, 0.3, 4.0}, at::kFloat).view({2, 3});
  const at::Tensor labels = at::tensor({2, 0}, at::kLong);
  for (const double s : {0.0, 0.1, 0.5}) {
    double expected = 0;
    for (int row = 0; row < 2; ++row) {
      double z[3], sum = 0;
      for (int c = 0; c < 3; ++c)
        sum += std::exp(z[c] = logits[row][c].item<double>());
      for (int c = 0; c < 3; ++c) {
        const double q = (c == labels[row].item<int>() ? 1 - s : 0) + s / 3;
        expected -= q * (z[c] - std::log(sum)) / 2;
      }
    }
    EXPECT_NEAR(smoothedCrossEntropy(logits, labels, s).item<double>(), expected, 1e-6) << s;
  }
}

TEST(Loss, CountsTopK) {
  const at::Tensor logits =
      at::tensor({5.0, 4.0, 3.0, 2.0, 1.0, 2.0, 3.0, 4.0}, at::kFloat).view({2, 4});
  const at::Tensor labels = at::tensor({1, 0}, at::kLong);
  EXPECT_EQ(countTopK(logits, labels, 1).item<int>(), 0);
  EXPECT_EQ(countTopK(logits, labels, 2).item<int>(), 1);
  EXPECT_EQ(countTopK(logits, labels, 3).item<int>(), 1);
  EXPECT_EQ(countTopK(logits, labels, 4).item<int>(), 2);
  EXPECT_EQ(countTopK(logits, labels, 5).item<int>(), 2);  // more than there are classes
}

TEST(WeightAverage, FollowsTheFormulaAndGivesTheWeightsBack) {
  at::Tensor weight = at::full({3}, 1.0).requires_grad_(true);
  WeightAverage average(0.75);
  average.setParameters({{"w", weight}});
  double expected = 1.0;
  for (const double value : {2.0, 5.0, -3.0}) {
    weight.detach().fill_(value);
    average.update();
    expected = 0.75 * expected + 0.25 * value;
  }
  const at::Tensor before = weight.detach().clone();
  average.withAverages([&] { EXPECT_NEAR(weight[1].item<double>(), expected, 1e-6); });
  EXPECT_TRUE(at::equal(weight, before));
  EXPECT_THROW(average.withAverages([] { throw std::runtime_error("in the middle"); }),
               std::runtime_error);
  EXPECT_TRUE(at::equal(weight, before));
  EXPECT_NEAR(average.state()[0].second[0].item<double>(), expected, 1e-6);
}

TEST(WeightAverage, AWarmUpFollowsTheFirstWeightsFast) {
  at::Tensor weight = at::zeros({1}, at::kDouble);
  WeightAverage average(0.2, /*warmsUp=*/true);
  average.setParameters({{"w", weight}});
  double expected = 0;
  for (int step = 0; step < 5; ++step) {
    weight.fill_(step + 1.0);
    average.update(step);
    const double decay = std::min(0.2, (1.0 + step) / (10.0 + step));  // 0.1, 0.18, then 0.2
    expected = decay * expected + (1 - decay) * (step + 1.0);
    EXPECT_NEAR(average.state()[0].second.item<double>(), expected, 1e-12) << step;
  }
}

/// Cycles of 3 steps: before step 3 and 6 the average is the weights, and t is 0 again.
TEST(WeightAverage, BeginsAnewEveryCycle) {
  at::Tensor weight = at::full({1}, 0.5, at::kDouble);
  WeightAverage average(0.75, /*warmsUp=*/true, /*cycle=*/3);
  average.setParameters({{"w", weight}});
  double expected = 0.5;
  for (int step = 0; step < 8; ++step) {
    average.begin(step);
    if (step == 3 || step == 6) expected = step;  // what the step before it left
    EXPECT_NEAR(average.state()[0].second.item<double>(), expected, 1e-12) << step;
    weight.fill_(step + 1.0);
    average.update(step);
    const double t = step < 3 ? step : step < 6 ? step - 3 : step - 6;
    const double decay = std::min(0.75, (1.0 + t) / (10.0 + t));
    expected = decay * expected + (1 - decay) * (step + 1.0);
    EXPECT_NEAR(average.state()[0].second.item<double>(), expected, 1e-12) << step;
  }
}

TEST(WeightAverage, ANewParameterBeginsAtItsValue) {
  at::Tensor first = at::full({2}, 1.0), second = at::full({2}, 9.0);
  WeightAverage average(0.5);
  average.setParameters({{"a", first}});
  first.fill_(3.0);
  average.update();
  average.setParameters({{"a", first}, {"b", second}});
  EXPECT_FLOAT_EQ(average.state()[0].second[0].item<float>(), 2.0f);
  EXPECT_FLOAT_EQ(average.state()[1].second[0].item<float>(), 9.0f);
}

TEST(WeightAverage, OffDoesNothing) {
  WeightAverage average(0);
  average.setParameters({{"a", at::ones({2})}});
  average.update();
  EXPECT_TRUE(average.state().empty());
}

}  // namespace
}  // namespace headlight
