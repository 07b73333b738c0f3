// SPDX-License-Identifier: GPL-3.0-or-later

// IBiT's Algorithm 1: the fit of the sub-masks.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/attention/softmax/LearnedMaskFit.h"
#include "core/base/Log.h"

namespace headlight::learned_mask_fit_test {

std::vector<LearnedMaskFitOptions> cases() {
  using F = MaskFilter;
  return {
      {.grid = {14, 14, 0}},
      {.grid = {14, 14, 0}, .filter = F::Convolution},
      {.grid = {5, 7, 0}, .sigma = 2.0},
      {.grid = {4, 4, 0}},
      {.grid = {8, 8, 0}, .fidelity = 5, .filter = F::Convolution, .window = 5},
      {.grid = {1, 9, 0}, .fidelity = 1, .window = 1},
      {.grid = {2, 2, 0}},
      {.grid = {14, 14, 0}, .fidelity = 3, .window = 5},
  };
}

double norm(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values)
    squares += value * value;
  return std::sqrt(squares);
}

/// Mean squared error of 𝒜ℬᵀ by loops.
double meanSquaredError(const LearnedMaskFit& fit, const std::vector<double>& target, int patches) {
  const int columns = static_cast<int>(fit.a.size()) / patches;
  double sum = 0;
  for (int n = 0; n < patches; ++n)
    for (int k = 0; k < patches; ++k) {
      double product = 0;
      for (int c = 0; c < columns; ++c)
        product += fit.a[n * columns + c] * fit.b[k * columns + c];
      sum += (product - target[n * patches + k]) * (product - target[n * patches + k]);
    }
  return sum / patches / patches;
}

/// What 𝒜ℬᵀ is to become, by direct indexing: R[n, (m − n) mod N] = G[n, m], or without the roll G.
std::vector<double> targetOf(const LearnedMaskFitOptions& options) {
  const int patches = options.grid.patches(), cols = options.grid.cols;
  std::vector<double> target(patches * patches, 0.0);
  for (int n = 0; n < patches; ++n)
    for (int m = 0; m < patches; ++m) {
      const int down = m / cols - n / cols, right = m % cols - n % cols;
      if (std::max(std::abs(down), std::abs(right)) > (options.window - 1) / 2) continue;
      const int column = options.rolled ? ((m - n) % patches + patches) % patches : m;
      target[n * patches + column] =
          options.filter == MaskFilter::Convolution
              ? 1.0
              : std::exp(-(down * down + right * right) / (2 * options.sigma * options.sigma));
    }
  return target;
}

/// Whether it gets there or not, the error that it tells of is that of the product.
TEST(LearnedMaskFit, ItsErrorIsThatOfTheProductRolledOrNot) {
  for (LearnedMaskFitOptions options : cases())
    for (const bool rolled : {true, false})
      for (const int steps : {0, 1, 40}) {
        options.rolled = rolled;
        options.maxSteps = steps;
        const LearnedMaskFit fit = fitLearnedMask(options);
        EXPECT_NEAR(meanSquaredError(fit, targetOf(options), options.grid.patches()),
                    fit.curve.back(), 1e-12)
            << rolled << " " << steps;
      }
}

/// 65536 patches: [N, N] would take 32 GiB, rolled or not.
TEST(LearnedMaskFit, MemoryIsLinearInThePatches) {
  for (const bool rolled : {true, false}) {
    const LearnedMaskFit fit =
        fitLearnedMask({.grid = {256, 256, 0}, .rolled = rolled, .maxSteps = 2});
    EXPECT_EQ(fit.a.size(), 9u * 65536);
    EXPECT_LT(fit.curve.back(), fit.curve.front());
  }
}

/// The rule of configs of schema 1 and 2.
TEST(LearnedMaskFit, ComesBelowTheToleranceAndItsCurveFalls) {
  for (LearnedMaskFitOptions options : cases()) {
    options.bound = MaskFitBound::Absolute;
    const LearnedMaskFit fit = fitLearnedMask(options);
    const std::string what = std::to_string(options.grid.rows) + "x" +
                             std::to_string(options.grid.cols) + " f " +
                             std::to_string(options.fidelity);
    EXPECT_TRUE(fit.reached) << what << " " << fit.curve.back();
    EXPECT_LT(fit.curve.back(), 1e-4) << what;
    EXPECT_LT(fit.curve.size(), 5000u) << what;
    for (std::size_t i = 1; i < fit.curve.size(); ++i)
      ASSERT_LT(fit.curve[i], fit.curve[i - 1]) << what << " step " << i;
    ASSERT_GT(fit.curve.size(), 1u) << what;
    EXPECT_GE(fit.curve[fit.curve.size() - 2], 1e-4) << what;  // it stops in time
    EXPECT_NEAR(meanSquaredError(fit, targetOf(options), options.grid.patches()), fit.curve.back(),
                1e-12);
  }
}

TEST(LearnedMaskFit, ComesWithinOnePercentOfItsFilterAndItsCurveFalls) {
  std::vector<LearnedMaskFitOptions> all = cases();
  all.pop_back();  // a window of 5 is beyond 9 columns
  all.push_back({.grid = {56, 56, 0}});
  all.push_back({.grid = {14, 14, 0}, .fidelity = 5, .window = 5});
  for (const LearnedMaskFitOptions& options : all) {
    const LearnedMaskFit fit = fitLearnedMask(options);
    const int patches = options.grid.patches();
    const std::string what =
        std::to_string(options.grid.rows) + "x" + std::to_string(options.grid.cols);
    EXPECT_TRUE(fit.reached) << what;
    const std::vector<double> target = targetOf(options);
    const double relative =
        std::sqrt(meanSquaredError(fit, target, patches)) * patches / norm(target);
    EXPECT_LT(relative, 0.01) << what;
    EXPECT_NEAR(relative, fit.relativeError, 1e-9) << what;
    ASSERT_GT(fit.curve.size(), 1u) << what;
    EXPECT_LT(fit.curve.size(), 20000u) << what;
    for (std::size_t i = 1; i < fit.curve.size(); ++i)
      ASSERT_LT(fit.curve[i], fit.curve[i - 1]) << what << " step " << i;
    const double before = std::sqrt(fit.curve[fit.curve.size() - 2]) * patches / norm(target);
    EXPECT_GE(before, 0.01) << what;  // it stops in time
  }
}

/// In few rows or in all of them: the descent of the same start takes the same steps.
TEST(LearnedMaskFit, TheBoundChangesOnlyWhereItEnds) {
  for (LearnedMaskFitOptions options : cases())
    for (const bool rolled : {true, false}) {
      options.rolled = rolled;
      options.maxSteps = 10;  // before any of them is there
      options.bound = MaskFitBound::Relative;
      const LearnedMaskFit fit = fitLearnedMask(options);
      options.bound = MaskFitBound::Absolute;
      const LearnedMaskFit full = fitLearnedMask(options);
      ASSERT_EQ(fit.curve.size(), full.curve.size());
      for (std::size_t i = 0; i < fit.curve.size(); ++i)
        EXPECT_NEAR(fit.curve[i], full.curve[i], 1e-12);
      for (std::size_t i = 0; i < fit.a.size(); ++i) {
        ASSERT_NEAR(fit.a[i], full.a[i], 1e-10);
        ASSERT_NEAR(fit.b[i], full.b[i], 1e-10);
      }
    }
}

/// 9 columns cannot hold a filter of 25 taps: the least error that they allow is 2.6 %.
TEST(LearnedMaskFit, EndsAndWarnsWhereOnePercentIsOutOfReach) {
  const LearnedMaskFitOptions options{.grid = {14, 14, 0}, .window = 5};
  const LearnedMaskFit fit = fitLearnedMask(options);
  EXPECT_FALSE(fit.reached);
  EXPECT_GT(fit.relativeError, 0.01);
  EXPECT_LT(fit.relativeError, 0.03);
  EXPECT_LE(fit.curve.size(), 20001u);
  std::vector<std::string> warnings;
  setLogSink([&](LogLevel level, const std::string& message) {
    if (level == LogLevel::Warning) warnings.push_back(message);
  });
  rememberedLearnedMaskFit(options);
  setLogSink({});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("1 %"), std::string::npos) << warnings[0];
}

TEST(LearnedMaskFit, FollowsTheSeed) {
  const LearnedMaskFitOptions options{.grid = {6, 6, 0}};
  LearnedMaskFitOptions other = options;
  other.seed = 1;
  EXPECT_EQ(fitLearnedMask(options).a, fitLearnedMask(options).a);
  EXPECT_NE(fitLearnedMask(options).a, fitLearnedMask(other).a);
  EXPECT_EQ(rememberedLearnedMaskFit(options).b, fitLearnedMask(options).b);
  EXPECT_EQ(&rememberedLearnedMaskFit(options), &rememberedLearnedMaskFit(options));
}

/// Without the roll the filter's rank is about N: the reason for rolling (§3.2).
TEST(LearnedMaskFit, EndsWhereAFilterIsOutOfReach) {
  const LearnedMaskFit fit = fitLearnedMask({.grid = {8, 8, 0}, .rolled = false});
  EXPECT_FALSE(fit.reached);
  EXPECT_GT(fit.curve.back(), 1e-3);
  EXPECT_LT(fit.curve.back(), fit.curve.front());
}

}  // namespace headlight::learned_mask_fit_test
