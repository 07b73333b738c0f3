// SPDX-License-Identifier: GPL-3.0-or-later

// Logistic regression, against gradient descent in plain loops and finite differences.

#include "core/workbench/adapt/LogisticProblem.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/Result.h"

namespace headlight {
namespace {

using NaiveRow = std::vector<double>;

/// Three classes that overlap, of three features; the third class is rare.
struct NaiveImages {
  std::vector<NaiveRow> features;
  std::vector<std::int64_t> labels;
  static constexpr int kClasses = 3, kWidth = 3;

  explicit NaiveImages(int count = 60, int seed = 7) {
    std::uint32_t state = static_cast<std::uint32_t>(seed);
    const auto draw = [&state] {
      state = state * 1664525u + 1013904223u;
      return static_cast<double>(state >> 8) / (1 << 24) - 0.5;
    };
    for (int i = 0; i < count; ++i) {
      const int label = i % 7 == 0 ? 2 : i % 2;
      labels.push_back(label);
      features.push_back({3 * draw() + label, 2 * draw() - 0.5 * label, 4 * draw()});
    }
  }

  at::Tensor featureTensor() const {
    at::Tensor all = at::empty({static_cast<std::int64_t>(features.size()), kWidth}, at::kDouble);
    for (std::size_t i = 0; i < features.size(); ++i)
      for (int d = 0; d < kWidth; ++d)
        all[static_cast<std::int64_t>(i)][d] = features[i][static_cast<std::size_t>(d)];
    return all;
  }
  at::Tensor labelTensor() const { return at::tensor(labels, at::kLong); }
};

/// f and its gradient as the definition says, point[c][d], the bias last.
double naiveLogistic(const NaiveImages& images, const std::vector<NaiveRow>& point, double l2,
                     std::vector<NaiveRow>& gradient) {
  const auto count = static_cast<double>(images.features.size());
  double value = 0;
  gradient.assign(point.size(), NaiveRow(point[0].size(), 0.0));
  for (std::size_t i = 0; i < images.features.size(); ++i) {
    NaiveRow logits;
    for (const NaiveRow& row : point) {
      double logit = row[3];
      for (std::size_t d = 0; d < 3; ++d)
        logit += row[d] * images.features[i][d];
      logits.push_back(logit);
    }
    double sum = 0;
    for (const double logit : logits)
      sum += std::exp(logit);
    const auto label = static_cast<std::size_t>(images.labels[i]);
    value -= std::log(std::exp(logits[label]) / sum) / count;
    for (std::size_t c = 0; c < point.size(); ++c) {
      const double error = std::exp(logits[c]) / sum - (c == label ? 1 : 0);
      for (std::size_t d = 0; d < 3; ++d)
        gradient[c][d] += error * images.features[i][d] / count;
      gradient[c][3] += error / count;
    }
  }
  for (std::size_t c = 0; c < point.size(); ++c)
    for (std::size_t d = 0; d < 3; ++d) {
      value += l2 / 2 * point[c][d] * point[c][d];
      gradient[c][d] += l2 * point[c][d];
    }
  return value;
}

std::vector<NaiveRow> naiveMinimum(const NaiveImages& images, double l2) {
  std::vector<NaiveRow> point(3, NaiveRow(4, 0.0)), gradient;
  for (int step = 0; step < 20000; ++step) {
    naiveLogistic(images, point, l2, gradient);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = 0; d < 4; ++d)
        point[c][d] -= 0.3 * gradient[c][d];
  }
  return point;
}

void expectPoint(const at::Tensor& found, const std::vector<NaiveRow>& wanted, double within) {
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t d = 0; d < 4; ++d)
      EXPECT_NEAR(found[c][d].item<double>(),
                  wanted[static_cast<std::size_t>(c)][static_cast<std::size_t>(d)], within)
          << c << "," << d;
}

std::vector<NaiveRow> someNaivePoint() {
  return {{0.3, -0.2, 0.1, 0.5}, {-0.4, 0.7, 0.2, -0.1}, {0.05, 0.1, -0.6, 0.2}};
}

at::Tensor pointTensor(const std::vector<NaiveRow>& point) {
  at::Tensor all = at::empty({3, 4}, at::kDouble);
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t d = 0; d < 4; ++d)
      all[c][d] = point[static_cast<std::size_t>(c)][static_cast<std::size_t>(d)];
  return all;
}

TEST(LogisticProblem, HasTheValueAndSlopeOfTheDefinition) {
  const NaiveImages images;
  const LogisticProblem problem(images.featureTensor(), images.labelTensor(), 3);
  std::vector<NaiveRow> gradient;
  const double value = naiveLogistic(images, someNaivePoint(), 0.2, gradient);
  const LogisticSlope slope = problem.slope(pointTensor(someNaivePoint()), 0.2);
  EXPECT_NEAR(slope.value, value, 1e-12);
  expectPoint(slope.gradient, gradient, 1e-12);
}

TEST(LogisticProblem, ItsSlopeIsThatOfFiniteDifferences) {
  const NaiveImages images;
  const LogisticProblem problem(images.featureTensor(), images.labelTensor(), 3);
  const at::Tensor point = pointTensor(someNaivePoint());
  const at::Tensor gradient = problem.slope(point, 0.07).gradient;
  constexpr double kStep = 1e-5;
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t d = 0; d < 4; ++d) {
      at::Tensor above = point.clone(), below = point.clone();
      above[c][d] += kStep;
      below[c][d] -= kStep;
      const double slope =
          (problem.slope(above, 0.07).value - problem.slope(below, 0.07).value) / (2 * kStep);
      EXPECT_NEAR(gradient[c][d].item<double>(), slope, 1e-8);
    }
}

TEST(LogisticProblem, EndsWhereGradientDescentEnds) {
  const NaiveImages images;
  const LogisticProblem problem(images.featureTensor(), images.labelTensor(), 3);
  for (const double l2 : {0.5, 0.05}) {
    const LogisticOptimum found = problem.minimize({.l2 = l2, .tolerance = 1e-10});
    EXPECT_TRUE(found.converged) << l2;
    EXPECT_LT(found.iterations, 100) << l2;
    const auto wanted = naiveMinimum(images, l2);
    expectPoint(found.point, wanted, 1e-6);
    std::vector<NaiveRow> gradient;
    EXPECT_NEAR(found.value, naiveLogistic(images, wanted, l2, gradient), 1e-10);
  }
}

TEST(LogisticProblem, AnotherStartEndsThereToo) {
  const NaiveImages images;
  const LogisticProblem problem(images.featureTensor(), images.labelTensor(), 3);
  const at::Tensor strong = problem.minimize({.l2 = 1, .tolerance = 1e-9}).point;
  const at::Tensor cold = problem.minimize({.l2 = 0.01, .tolerance = 1e-9}).point;
  const at::Tensor warm = problem.minimize({.l2 = 0.01, .tolerance = 1e-9}, strong).point;
  EXPECT_LT((cold - warm).abs().max().item<double>(), 1e-6);
  EXPECT_GT((cold - strong).abs().max().item<double>(), 0.1);
}

TEST(LogisticProblem, IsTheSameEveryTime) {
  const NaiveImages images;
  const LogisticProblem problem(images.featureTensor(), images.labelTensor(), 3);
  EXPECT_TRUE(problem.minimize({.l2 = 0.01}).point.equal(problem.minimize({.l2 = 0.01}).point));
}

TEST(LogisticProblem, BearsAFeatureThatNeverChangesAndClassesFarApart) {
  at::Tensor features = at::zeros({20, 2}, at::kDouble), labels = at::zeros({20}, at::kLong);
  for (std::int64_t i = 0; i < 20; ++i) {
    labels[i] = i % 2;
    features[i][0] = i % 2 == 0 ? -1000.0 : 1000.0;
  }
  const LogisticProblem problem(features, labels, 2);
  const LogisticOptimum found = problem.minimize({.l2 = 1e-5});
  EXPECT_TRUE(found.converged);
  EXPECT_TRUE(found.point.isfinite().all().item<bool>());
  EXPECT_LT(found.value, 1e-3);
}

TEST(LogisticProblem, StopsWhenTold) {
  const NaiveImages images;
  const LogisticProblem problem(images.featureTensor(), images.labelTensor(), 3);
  std::stop_source stop;
  stop.request_stop();
  try {
    static_cast<void>(problem.minimize({}, {}, stop.get_token()));
    FAIL() << "nothing was thrown";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::Canceled);
  }
}

}  // namespace
}  // namespace headlight
