// SPDX-License-Identifier: GPL-3.0-or-later

// Batch norms of one process, beside their formula.

#include "core/models/layers/LocalNorm.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace headlight {
namespace {

at::Tensor gradientOf(const at::Tensor& y, const at::Tensor& x, const at::Tensor& slopes) {
  return torch::autograd::grad({y}, {x}, {slopes})[0].to(at::kDouble);
}

at::Tensor byFormula(torch::nn::BatchNorm2d& norm, const at::Tensor& x) {
  const auto wide = [](const at::Tensor& values) {
    return values.detach().to(at::kDouble).view({1, -1, 1, 1});
  };
  const bool training = norm->is_training();
  const at::Tensor mean = training ? x.mean({0, 2, 3}, true) : wide(norm->running_mean);
  const at::Tensor variance =
      training ? (x - mean).square().mean({0, 2, 3}, true) : wide(norm->running_var);
  return (x - mean) / (variance + 1e-5).sqrt() * wide(norm->weight) + wide(norm->bias);
}

/// However the values lie in memory: tokens become maps whose channels lie together.
TEST(LocalNorm, OfOneImageHasTheGradientOfItsFormula) {
  at::manual_seed(2);
  for (const std::int64_t images : {1, 3})
    for (const bool training : {false, true}) {
      torch::nn::BatchNorm2d norm(8);
      {
        const at::NoGradGuard noGrad;
        norm->weight.uniform_(0.5, 1.5);
        norm->running_var.uniform_(0.5, 1.5);
        norm->running_mean.uniform_(-1, 1);
      }
      norm->train(training);
      const at::Tensor tokens = at::randn({images, 16, 8});
      const at::Tensor x =
          tokens.transpose(1, 2).reshape({images, 8, 4, 4}).detach().requires_grad_(true);
      const at::Tensor exact = x.detach().to(at::kDouble).contiguous().requires_grad_(true);
      const at::Tensor slopes = at::randn({images, 16, 8});
      const auto asMaps = [&](const at::Tensor& t) {
        return t.transpose(1, 2).reshape({images, 8, 4, 4});
      };
      const at::Tensor expected =
          gradientOf(byFormula(norm, exact), exact, asMaps(slopes).to(at::kDouble));
      const at::Tensor kept = norm->running_var.clone();
      const at::Tensor found = gradientOf(mapsNormed(norm, x), x, asMaps(slopes));
      EXPECT_LT((found - expected).abs().max().item<double>(), 1e-5) << images << training;
      const at::Tensor after = norm->running_var.clone();
      const at::NoGradGuard noGrad;
      norm->running_var.copy_(kept);
      mapsNormed(norm, x);  // LibTorch's
      EXPECT_LT((norm->running_var - after).abs().max().item<double>(), 1e-6);
    }
}

}  // namespace
}  // namespace headlight
