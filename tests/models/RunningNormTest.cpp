// SPDX-License-Identifier: GPL-3.0-or-later

// Batch norms by running statistics in one pass: against their definition in double precision, and
// when they are not taken.

#include "core/models/layers/RunningNorm.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/attention/kernels/KernelChoice.h"
#include "core/base/ModelPart.h"

namespace headlight {
namespace {

torch::nn::BatchNorm1d stirredNorm(std::int64_t channels) {
  torch::nn::BatchNorm1d norm(channels);
  const at::NoGradGuard noGrad;
  norm->weight.copy_(at::randn({channels}));
  norm->bias.copy_(at::randn({channels}));
  norm->running_mean.copy_(at::randn({channels}));
  norm->running_var.copy_(at::rand({channels}) + 0.1);
  norm->eval();
  return norm;
}

/// γ (x − μ)/√(σ² + ε) + β, then x·min(max(x + 3, 0), 6)/6, in double.
at::Tensor defined(torch::nn::BatchNorm1d& norm, const at::Tensor& x, BehindNorm behind) {
  const auto wide = [](const at::Tensor& t) { return t.detach().to(at::kDouble); };
  const at::Tensor y = (wide(x) - wide(norm->running_mean)) /
                           (wide(norm->running_var) + norm->options.eps()).sqrt() *
                           wide(norm->weight) +
                       wide(norm->bias);
  return behind == BehindNorm::ActiveProduct ? y * (y + 3).clamp(0, 6) / 6 : y;
}

double relativeDifference(const at::Tensor& x, const at::Tensor& expected) {
  return ((x.to(at::kDouble) - expected).abs() / (1 + expected.abs())).max().item<double>();
}

constexpr BehindNorm kAll[] = {BehindNorm::Tokens, BehindNorm::Product, BehindNorm::ActiveProduct};

TEST(RunningNorm, IsTheDefinitionInFloat32) {
  at::manual_seed(1);
  const at::NoGradGuard noGrad;
  for (const std::int64_t channels : {1, 7, 64, 130})
    for (const BehindNorm behind : kAll) {
      auto norm = stirredNorm(channels);
      const at::Tensor x = 4 * at::randn({3, 65, channels});
      const at::Tensor expected = defined(norm, x, behind);
      ASSERT_TRUE(runningNormTakes(x, norm->weight, norm->is_training()));
      EXPECT_LT(relativeDifference(runningNorm(norm, x, behind), expected), 2e-6) << channels;
    }
}

/// What goes to products is rounded once; tokens are not rounded.
TEST(RunningNorm, OfBFloat16IsComputedInFloat32) {
  at::manual_seed(2);
  const at::NoGradGuard noGrad;
  for (const BehindNorm behind : kAll) {
    auto norm = stirredNorm(48);
    const at::Tensor x = (4 * at::randn({2, 70, 48})).to(at::kBFloat16);
    const at::Tensor expected = defined(norm, x, behind);
    const at::Tensor y = runningNorm(norm, x, behind);
    const bool tokens = behind == BehindNorm::Tokens;
    EXPECT_EQ(y.scalar_type(), tokens ? at::kFloat : at::kBFloat16);
    EXPECT_LT(relativeDifference(y, expected), tokens ? 2e-6 : 1.0 / 256);
  }
}

TEST(RunningNorm, TakesTheMemoryOfWhatIsAsWide) {
  const at::NoGradGuard noGrad;
  auto norm = stirredNorm(8);
  const at::Tensor x = at::randn({5, 8});
  EXPECT_EQ(runningNorm(norm, x, BehindNorm::Tokens).data_ptr(), x.data_ptr());
}

struct Listener : PartListener {
  void enter(ModelPart part, bool) override { entered.push_back(part); }
  void enterBackward() override {}
  void leave() override { ++left; }
  std::vector<ModelPart> entered;
  std::size_t left = 0;
};

/// LibTorch's own is known by its operation.
TEST(RunningNorm, IsMeasuredAsANorm) {
  const at::NoGradGuard noGrad;
  auto norm = stirredNorm(8);
  Listener listener;
  PartListener::setCurrent(&listener);
  runningNorm(norm, at::randn({5, 8}), BehindNorm::Tokens);
  PartListener::setCurrent(nullptr);
  EXPECT_EQ(listener.entered, std::vector{ModelPart::Norms});
  EXPECT_EQ(listener.left, 1u);
}

TEST(RunningNorm, IsNotTakenWhereLibTorchHasToCompute) {
  auto norm = stirredNorm(8);
  const at::Tensor x = at::randn({5, 8});
  EXPECT_FALSE(runningNormTakes(x, norm->weight, false)) << "the weight wants a gradient";
  const at::NoGradGuard noGrad;
  EXPECT_TRUE(runningNormTakes(x, norm->weight, false));
  EXPECT_FALSE(runningNormTakes(x, norm->weight, true)) << "in training";
  EXPECT_FALSE(runningNormTakes(x.to(at::kDouble), norm->weight, false));
  EXPECT_FALSE(runningNormTakes(at::randn({8, 5}).t(), norm->weight, false)) << "with gaps";
  EXPECT_FALSE(runningNormTakes(at::empty({0, 8}), norm->weight, false));
  const PlainKernels plain;
  EXPECT_FALSE(runningNormTakes(x, norm->weight, false));
}

}  // namespace
}  // namespace headlight
