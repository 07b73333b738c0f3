// SPDX-License-Identifier: GPL-3.0-or-later

// Weights that adapters start from: row by row from the stream of their key, whatever their type. And
// the narrowed weight that a linear layer keeps, which never is that of other numbers.

#include "core/attention/base/AdaptableLinear.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/UniformStart.h"
#include "core/base/Random.h"

namespace headlight::adaptable_linear_test {

TEST(UniformStart, IsTheStreamOfItsKeyRowByRow) {
  const at::Tensor weight = at::zeros({3, 16}, at::kDouble);
  startUniformly(weight, 77);
  RandomStream stream(77);
  for (std::int64_t out = 0; out < 3; ++out)
    for (std::int64_t in = 0; in < 16; ++in)
      EXPECT_EQ(weight[out][in].item<double>(), stream.uniform(-0.25, 0.25)) << out << ", " << in;
  const at::Tensor narrow = at::zeros({3, 16}, at::kFloat);
  startUniformly(narrow, 77);
  EXPECT_TRUE(at::equal(narrow, weight.to(at::kFloat)));
  startUniformly(narrow, 78);
  EXPECT_FALSE(at::equal(narrow, weight.to(at::kFloat)));
}

TEST(UniformStart, IsThatOfLowRankAdditions) {
  LowRank addition(at::zeros({4, 9}, at::kFloat), 0, 4, {.rank = 2});
  addition.initialize(5);
  const at::Tensor expected = at::zeros({2, 9}, at::kFloat);
  startUniformly(expected, 5);
  EXPECT_TRUE(at::equal(addition.named_parameters()["down"].detach(), expected));
  EXPECT_FALSE(addition.named_parameters()["up"].detach().any().item<bool>());
}

/// A pass in bfloat16 without gradients.
at::Tensor narrowPass(AdaptableLinear& linear, const at::Tensor& x) {
  const at::NoGradGuard noGrad;
  const AutocastScope scope(Precision::BFloat16, at::kCPU);
  return linear(x);
}

/// The same by a layer that has never been asked.
at::Tensor freshPass(const AdaptableLinear& linear, const at::Tensor& x) {
  AdaptableLinear fresh(linear->options);
  const at::NoGradGuard noGrad;
  fresh->weight.copy_(linear->weight);
  fresh->bias.copy_(linear->bias);
  return narrowPass(fresh, x);
}

struct NarrowedLayer : ::testing::Test {
  NarrowedLayer() {
    linear->eval();
    const at::NoGradGuard noGrad;
    startUniformly(linear->weight, 3);
    narrowPass(linear, x);
  }
  AdaptableLinear linear{5, 4};
  at::Tensor x = at::arange(15, at::kFloat).view({3, 5}).div(7);
};

TEST_F(NarrowedLayer, IsLibTorchsInAutocastBitForBit) {
  const at::NoGradGuard noGrad;
  const AutocastScope scope(Precision::BFloat16, at::kCPU);
  const at::Tensor expected = at::linear(x, linear->weight, linear->bias), y = linear(x);
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::equal(y, expected));
  EXPECT_TRUE(at::equal(linear(x), expected)) << "again";
}

TEST_F(NarrowedLayer, FollowsEveryWriteToItsWeight) {
  const at::Tensor before = narrowPass(linear, x);
  {
    const at::NoGradGuard noGrad;
    linear->weight.mul_(2);
  }
  EXPECT_FALSE(at::equal(narrowPass(linear, x), before));
  EXPECT_TRUE(at::equal(narrowPass(linear, x), freshPass(linear, x))) << "in place";
  linear->weight.set_data(linear->weight.detach() * 3);
  EXPECT_TRUE(at::equal(narrowPass(linear, x), freshPass(linear, x))) << "other memory";
  for (int i = 0; i < 8; ++i) {  // where other numbers lay before, sooner or later
    linear->weight.set_data(at::zeros({4, 5}));
    linear->weight.set_data(at::full({4, 5}, i + 1.0));
    EXPECT_TRUE(at::equal(narrowPass(linear, x), freshPass(linear, x))) << i;
  }
  linear->weight = at::ones({4, 5});
  EXPECT_TRUE(at::equal(narrowPass(linear, x), freshPass(linear, x))) << "another tensor";
}

TEST_F(NarrowedLayer, FollowsWhatAnOptimizerWroteInTraining) {
  linear->train();
  linear->weight.data_ptr<float>()[0] += 5;  // past LibTorch
  linear->eval();
  EXPECT_TRUE(at::equal(narrowPass(linear, x), freshPass(linear, x)));
}

TEST_F(NarrowedLayer, StaysOutOfGradientsAndOfFloat32) {
  {
    const AutocastScope scope(Precision::BFloat16, at::kCPU);
    linear(x).sum().backward();
  }
  EXPECT_TRUE(linear->weight.grad().defined());
  const at::NoGradGuard noGrad;
  EXPECT_EQ(linear(x).scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(linear(x), at::linear(x, linear->weight, linear->bias)));
}

}  // namespace headlight::adaptable_linear_test
