// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/RelativeSums.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace headlight {
namespace {

double gap(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(RelativeSums, BackwardIsThatOfThePlainConvolution) {
  for (const auto& [rows, cols, tall, wide] :
       {std::array{5, 7, 3, 5}, std::array{2, 3, 3, 1}, std::array{4, 4, 7, 7}}) {
    const at::Tensor x = at::randn({3, rows, cols, 6}), filter = at::randn({6, tall, wide}),
                     upstream = at::randn({3, rows, cols, 6});
    std::vector<at::Tensor> results[2];
    for (const bool plain : {false, true}) {
      const at::Tensor a = x.clone().requires_grad_(), b = filter.clone().requires_grad_();
      const std::int64_t margin[] = {tall / 2, wide / 2};
      const at::Tensor out = plain ? at::conv2d(a.permute({0, 3, 1, 2}), b.unsqueeze(1), {}, 1,
                                                margin, at::IntArrayRef{1, 1}, 6)
                                         .permute({0, 2, 3, 1})
                                   : relativeSums(a, b);
      (out * upstream).sum().backward();
      results[plain] = {out.detach(), a.grad(), b.grad()};
    }
    for (int i = 0; i < 3; ++i)
      EXPECT_LT(gap(results[0][i], results[1][i]), 2e-5) << i;
  }
}

}  // namespace
}  // namespace headlight
