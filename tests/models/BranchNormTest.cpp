// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/BranchNorm.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {
namespace {

constexpr double kEpsilon = 1e-6;

struct Layer {
  Layer(std::int64_t tokens, std::int64_t width)
      : x((at::randn({2, tokens, width}) * 3 + 1).requires_grad_()),
        weight(at::randn({width}).requires_grad_()),
        bias(at::randn({width}).requires_grad_()),
        upstream(at::randn({2, tokens, width}).to(at::kBFloat16)) {}
  at::Tensor narrow() const {
    const AutocastScope scope(Precision::BFloat16, at::kCPU);
    return branchNorm(x, weight, bias, kEpsilon);
  }
  /// x, weight and bias's, of what came out of them.
  std::vector<at::Tensor> gradients(const at::Tensor& result) const {
    for (const at::Tensor& leaf : {x, weight, bias})
      leaf.mutable_grad() = at::Tensor();
    result.backward(upstream.to(result.scalar_type()));
    return {x.grad(), weight.grad(), bias.grad()};
  }
  at::Tensor x, weight, bias, upstream;
};

TEST(BranchNorm, InBfloat16ItIsThatOfDoubleRoundedOnce) {
  for (const auto& [tokens, width] : {std::pair{1, 1}, {3, 7}, {70, 33}, {197, 192}, {5, 384}}) {
    SCOPED_TRACE(width);
    const Layer layer(tokens, width);
    const at::Tensor result = layer.narrow();
    ASSERT_EQ(result.scalar_type(), at::kBFloat16);
    const at::Tensor exact =
        at::layer_norm(layer.x.to(at::kDouble), {width}, layer.weight.to(at::kDouble),
                       layer.bias.to(at::kDouble), kEpsilon);
    const at::Tensor wide = result.to(at::kDouble);
    constexpr double kHalfABit = 1.0 / 256;  // of the smallest number with that last bit
    EXPECT_TRUE(at::allclose(wide, exact, kHalfABit, 1e-5));
    EXPECT_GT((result == exact.to(at::kBFloat16)).to(at::kFloat).mean().item<float>(), 0.99f);
    const auto own = layer.gradients(result), expected = layer.gradients(exact);
    for (std::size_t i = 0; i < own.size(); ++i)
      EXPECT_TRUE(at::allclose(own[i], expected[i], 1e-4, 1e-4)) << i;
    const at::NoGradGuard noGrad;
    EXPECT_TRUE(at::equal(layer.narrow(), result));
  }
}

TEST(BranchNorm, TokensMayLieAsTheyLike) {
  const Layer layer(9, 40);
  const at::Tensor turned = layer.x.detach().transpose(0, 1).contiguous().transpose(0, 1);
  const AutocastScope scope(Precision::BFloat16, at::kCPU);
  EXPECT_TRUE(at::equal(branchNorm(turned, layer.weight, layer.bias, kEpsilon), layer.narrow()));
}

TEST(BranchNorm, OtherwiseItIsLibTorchs) {
  const Layer layer(11, 24);
  const at::Tensor expected = at::layer_norm(layer.x, {24}, layer.weight, layer.bias, kEpsilon);
  EXPECT_TRUE(at::equal(branchNorm(layer.x, layer.weight, layer.bias, kEpsilon), expected));
}

TEST(BranchNorm, ThreadsChangeNoBit) {
  const int before = at::get_num_threads();
  const Layer layer(300, 48);
  std::vector<std::vector<at::Tensor>> all;
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    all.push_back(layer.gradients(layer.narrow()));
  }
  at::set_num_threads(before);
  for (std::size_t i = 0; i < all[0].size(); ++i)
    EXPECT_TRUE(at::equal(all[0][i], all[1][i])) << i;
}

}  // namespace
}  // namespace headlight
