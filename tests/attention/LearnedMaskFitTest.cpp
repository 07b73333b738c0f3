// IBiT's Algorithm 1: the fit of the sub-masks.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/attention/LearnedMaskFit.h"

namespace headlight {
namespace {

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

TEST(LearnedMaskFit, TheTargetRolledIsTheFilterByDirectIndexing) {
  for (LearnedMaskFitOptions options : cases()) {
    const int patches = options.grid.patches(), cols = options.grid.cols;
    const auto rolled = learnedMaskTarget(options);
    options.rolled = false;
    const auto direct = learnedMaskTarget(options);
    for (int n = 0; n < patches; ++n)
      for (int m = 0; m < patches; ++m) {
        const int down = m / cols - n / cols, right = m % cols - n % cols;
        const bool inside = std::max(std::abs(down), std::abs(right)) <= (options.window - 1) / 2;
        const double tap =
            options.filter == MaskFilter::Convolution
                ? 1.0
                : std::exp(-(down * down + right * right) / (2 * options.sigma * options.sigma));
        ASSERT_NEAR(direct[n * patches + m], inside ? tap : 0.0, 1e-15);
        ASSERT_EQ(rolled[n * patches + ((m - n) % patches + patches) % patches],
                  direct[n * patches + m]);
      }
  }
}

TEST(LearnedMaskFit, ComesBelowTheToleranceAndItsCurveFalls) {
  for (const LearnedMaskFitOptions& options : cases()) {
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
    EXPECT_NEAR(meanSquaredError(fit, learnedMaskTarget(options), options.grid.patches()),
                fit.curve.back(), 1e-12);
  }
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

TEST(LearnedMaskFit, RotationsAreOrthogonal) {
  for (const int size : {1, 9, 25}) {
    const auto q = randomRotation(size, 5);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        double dot = 0;
        for (int k = 0; k < size; ++k)
          dot += q[i * size + k] * q[j * size + k];
        ASSERT_NEAR(dot, i == j ? 1.0 : 0.0, 1e-12);
      }
  }
  EXPECT_NE(randomRotation(9, 5), randomRotation(9, 6));
}

}  // namespace
}  // namespace headlight
