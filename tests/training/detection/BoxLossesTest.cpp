// SPDX-License-Identifier: GPL-3.0-or-later

// The losses of a detector beside a naive reference in double precision, and their gradients beside
// its central differences with fixed targets.

#include "core/training/detection/BoxLosses.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/training/detection/DrawnScores.h"
#include "tests/training/detection/NaiveBoxes.h"

namespace headlight {
namespace {

BatchBoxes drawnTruth(std::int64_t images, unsigned seed) {
  BatchBoxes truth;
  for (std::int64_t image = 0; image < images; ++image)
    truth.push_back(drawnBoxes(8, seed * 100 + static_cast<unsigned>(image)));
  return truth;
}

naive::Sums naiveSums(const CellScores& scores, const BatchBoxes& truth) {
  naive::Sums sums;
  for (std::size_t image = 0; image < truth.size(); ++image) {
    const naive::Cells cells = naive::cellsOf(scores, static_cast<std::int64_t>(image));
    sums.add(naive::sumsOf(cells, truth[image], naive::targetsOf(cells, truth[image])));
  }
  return sums;
}

void expectSums(const BoxLossSums& found, const naive::Sums& expected, double tolerance) {
  const auto expectNear = [&](double a, double b, const char* what) {
    EXPECT_NEAR(a, b, tolerance * (1 + std::abs(b))) << what;
  };
  expectNear(found.classes.item<double>(), expected.classes, "classes");
  expectNear(found.overlap.item<double>(), expected.overlap, "overlap");
  expectNear(found.sides.item<double>(), expected.sides, "sides");
  EXPECT_EQ(found.positives, expected.positives);
  expectNear(found.weights.item<double>(), expected.weights, "weights");
}

TEST(BoxLosses, AreThoseOfANaiveReference) {
  for (unsigned seed = 1; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const CellScores scores = drawnScores(3, seed);
    const BatchBoxes truth = drawnTruth(3, seed);
    expectSums(sumBoxLosses(scores, truth), naiveSums(scores, truth), 1e-10);
  }
}

TEST(BoxLosses, AreThoseInFloat32) {
  CellScores scores = drawnScores(3, 50);
  scores.logits = scores.logits.to(at::kFloat);
  scores.sides = scores.sides.to(at::kFloat);
  const BatchBoxes truth = drawnTruth(3, 50);
  expectSums(sumBoxLosses(scores, truth), naiveSums(scores, truth), 5e-6);
}

TEST(BoxLosses, StayFiniteForExtremeScores) {
  for (const double scale : {1e2, 1e4}) {
    CellScores scores = drawnScores(2, 60);
    scores.logits = (scores.logits * scale).requires_grad_();
    scores.sides = (scores.sides * scale).requires_grad_();
    const BoxLosses losses = boxLosses(sumBoxLosses(scores, drawnTruth(2, 60)), {1, 1});
    EXPECT_TRUE(std::isfinite(losses.total().item<double>())) << scale;
    losses.total().backward();
    EXPECT_TRUE(scores.logits.grad().isfinite().all().item<bool>()) << scale;
    EXPECT_TRUE(scores.sides.grad().isfinite().all().item<bool>()) << scale;
  }
}

TEST(BoxLosses, GiveBackgroundAloneWithDefinedGradientsWhereNothingIsThere) {
  CellScores scores = drawnScores(2, 61);
  scores.logits.requires_grad_();
  scores.sides.requires_grad_();
  const BoxLossSums sums = sumBoxLosses(scores, {{}, {}});
  EXPECT_EQ(sums.positives, 0);
  EXPECT_EQ(sums.overlap.item<double>(), 0);
  EXPECT_EQ(sums.sides.item<double>(), 0);
  EXPECT_GT(sums.classes.item<double>(), 0);
  boxLosses(sums, BoxDenominators{}.of(1)).total().backward();
  ASSERT_TRUE(scores.sides.grad().defined());
  EXPECT_EQ(scores.sides.grad().abs().max().item<double>(), 0);
  EXPECT_GT(scores.logits.grad().abs().max().item<double>(), 0);
}

TEST(BoxLosses, AreWeightedAndDividedAsDefined) {
  const BoxLossSums sums{at::scalar_tensor(6.0), at::scalar_tensor(5.0), at::scalar_tensor(8.0), 3,
                         at::scalar_tensor(2.0)};
  const BoxLosses losses = boxLosses(sums, BoxDenominators{3, 2}.of(1));
  EXPECT_DOUBLE_EQ(losses.classes.item<double>(), 2);
  EXPECT_DOUBLE_EQ(losses.overlap.item<double>(), 5);
  EXPECT_DOUBLE_EQ(losses.sides.item<double>(), 1);
  EXPECT_DOUBLE_EQ(losses.total().item<double>(), 8);
  const BoxDenominators least = BoxDenominators{0, 0.25}.of(0.5);
  EXPECT_DOUBLE_EQ(least.positives, 0.5);
  EXPECT_DOUBLE_EQ(least.weights, 0.5);
}

/// The loss of one image with given targets, of its scores as they are now.
double fixedLoss(const CellScores& scores, const LabeledBoxes& truth,
                 const naive::Targets& targets) {
  const naive::Sums sums = naive::sumsOf(naive::cellsOf(scores, 0), truth, targets);
  return sums.loss(7, 3);
}

void expectGradients(const CellScores& scores, const at::Tensor& input, const LabeledBoxes& truth,
                     const naive::Targets& targets) {
  constexpr double kStep = 1e-6;
  const at::NoGradGuard noGrad;
  const at::Tensor flat = input.detach().view(-1), gradient = input.grad().reshape(-1);
  for (std::int64_t i = 0; i < flat.numel(); i += 3) {
    const double value = flat[i].item<double>();
    flat[i].fill_(value + kStep);
    const double above = fixedLoss(scores, truth, targets);
    flat[i].fill_(value - kStep);
    const double below = fixedLoss(scores, truth, targets);
    flat[i].fill_(value);
    const double expected = (above - below) / (2 * kStep);
    ASSERT_NEAR(gradient[i].item<double>(), expected, 2e-7 * (1 + std::abs(expected))) << i;
  }
}

TEST(BoxLosses, HaveTheGradientsOfFiniteDifferences) {
  CellScores scores = drawnScores(1, 70);
  scores.logits.requires_grad_();
  scores.sides.requires_grad_();
  const LabeledBoxes truth{{{4, 8, 40, 28}, 1}, {{20, 20, 36, 40}, 3}, {{50, 2, 12, 10}, 0}};
  const naive::Cells cells = naive::cellsOf(scores, 0);
  const naive::Targets targets = naive::targetsOf(cells, truth);
  boxLosses(sumBoxLosses(scores, {truth}), {7, 3}).total().backward();
  expectGradients(scores, scores.logits, truth, targets);
  expectGradients(scores, scores.sides, truth, targets);
}

}  // namespace
}  // namespace headlight
