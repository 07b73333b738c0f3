// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/RelativeSums.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/attention/kernels/KernelChoice.h"

namespace headlight::relative_sums_test {

struct Sizes {
  std::int64_t rows, cols, features, tall, wide;
};

/// Chunks of features that are not full, one column, rows of less and more than the columns that
/// stay in registers, taps that all lead out of the grid, and a grid of several bands.
constexpr Sizes kSizes[] = {{5, 7, 6, 3, 5},      {2, 3, 6, 3, 1},  {4, 4, 17, 7, 7},
                            {19, 1, 16, 5, 1},    {1, 9, 33, 1, 3}, {3, 1, 5, 3, 3},
                            {14, 14, 20, 11, 11}, {2, 2, 4, 9, 9},  {70, 40, 3, 5, 3}};

/// The output and both gradients for this upstream gradient.
std::vector<at::Tensor> results(const at::Tensor& x, const at::Tensor& filter,
                                const at::Tensor& upstream) {
  const at::Tensor a = x.clone().requires_grad_(), b = filter.clone().requires_grad_();
  const at::Tensor out = relativeSums(a, b);
  (out * upstream).sum().backward();
  return {out.detach(), a.grad(), b.grad()};
}

void expectThePlainResults(const Sizes& s, at::ScalarType type, double tolerance) {
  const auto options = at::TensorOptions().dtype(type);
  const at::Tensor x = at::randn({3, s.rows, s.cols, s.features}, options),
                   filter = at::randn({s.features, s.tall, s.wide}, options),
                   upstream = at::randn({3, s.rows, s.cols, s.features}, options);
  const auto fast = results(x, filter, upstream);
  const PlainKernels plain;
  const auto slow = results(x.to(at::kDouble), filter.to(at::kDouble), upstream.to(at::kDouble));
  for (std::size_t i = 0; i < fast.size(); ++i)
    EXPECT_LT((fast[i] - slow[i]).abs().max().item<double>(),
              tolerance * slow[i].abs().max().item<double>())
        << i << " of " << s.rows << " x " << s.cols << " x " << s.features << ", " << s.tall
        << " x " << s.wide;
}

TEST(RelativeSums, AreThoseOfThePlainConvolution) {
  at::manual_seed(1);
  for (const Sizes& sizes : kSizes) {
    expectThePlainResults(sizes, at::kDouble, 1e-13);
    expectThePlainResults(sizes, at::kFloat, 2e-6);
  }
}

TEST(RelativeSums, FollowTheirDefinition) {
  const at::Tensor x = at::randn({1, 4, 9, 2}, at::kDouble),
                   filter = at::randn({2, 5, 3}, at::kDouble);
  const at::Tensor out = relativeSums(x, filter);
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 9; ++c)
      for (int f = 0; f < 2; ++f) {
        double sum = 0;
        for (int i = 0; i < 5; ++i)
          for (int j = 0; j < 3; ++j)
            if (const int row = r + i - 2, col = c + j - 1;
                row >= 0 && row < 4 && col >= 0 && col < 9)
              sum += filter[f][i][j].item<double>() * x[0][row][col][f].item<double>();
        EXPECT_NEAR(out[0][r][c][f].item<double>(), sum, 1e-13);
      }
}

}  // namespace headlight::relative_sums_test
