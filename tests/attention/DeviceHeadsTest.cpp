// SPDX-License-Identifier: GPL-3.0-or-later

// A layer of linear-time and other heads as it runs where the CPU's kernels do not, against the
// plain form; and what is said of the kernels.

#include "core/attention/kernels/DeviceHeads.h"

#include <gtest/gtest.h>

#include "core/attention/kernels/HeadKernel.h"
#include "core/attention/kernels/KernelChoice.h"
#include "tests/attention/MaskedHeads.h"

namespace headlight::device_heads_test {

using namespace headlight::testing;

/// Heads 0 and 2 in linear time, 1 soft, 3 unmasked.
HeadLogits mixedLogits(const MaskedCase& c, const at::TensorOptions& options) {
  HeadLogits logits = logitsOf(c, options);
  logits.rules[1] = LogitRule::Blend;
  logits.rules[3] = LogitRule::Keep;
  logits.sets[1] = logits.sets[3] = nullptr;
  logits.alpha = at::full({c.heads()}, 0.3, options).requires_grad_();
  return logits;
}

TEST(HeadAttentionOnDevice, EqualsThePlainFormForwardAndBackward) {
  constexpr double kTolerance = 1e-10;  // both double
  const MaskedCase c{{5, 4, 1}, 6, {"hard:3", "hard:3", "strict:3", "hard:5"}};
  for (const at::Device& device : devices()) {
    const auto options = at::TensorOptions(device).dtype(at::kDouble);
    const at::Tensor base = at::randn({2, c.grid.tokens(), 3 * c.width()}, at::kDouble).to(options);
    const at::Tensor upstream = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble).to(options);
    std::vector<at::Tensor> results[2];
    for (const bool plain : {false, true}) {
      const HeadLogits logits = mixedLogits(c, options);
      const at::Tensor qkv = base.clone().requires_grad_();
      const AttentionOutput result =
          plain ? headAttentionPlain(HeadInputs::packed(qkv, c.heads()), logits, true)
                : headAttentionOnDevice(HeadInputs::packed(qkv, c.heads()), logits, true);
      (result.output * upstream).sum().backward();
      results[plain] = {result.output, result.map, qkv.grad(), logits.alpha.grad()};
    }
    for (std::size_t i = 0; i < results[0].size(); ++i)
      EXPECT_LT(gapOf(results[0][i], results[1][i]), kTolerance) << i << " on " << device;
  }
}

TEST(HeadKernels, AreNamedHeadByHead) {
  using enum HeadKernel;
  EXPECT_EQ(headKernelsText({Plain, Plain}), "matrix products");
  EXPECT_EQ(headKernelsText({Linear, Dense, Linear, Linear}),
            "heads 0, 2-3 fused linear-time (CPU), head 1 fused dense (CPU)");
}

TEST(HeadKernels, ArePlainWhileTheyAreWantedSo) {
  const at::Tensor qkv = at::zeros({1, 2, 3});
  EXPECT_TRUE(linearKernelsTake(qkv));
  {
    const PlainKernels outer;
    { const PlainKernels inner; }
    EXPECT_FALSE(linearKernelsTake(qkv));
    EXPECT_EQ(headKernel(qkv, false), HeadKernel::Plain);
  }
  EXPECT_TRUE(linearKernelsTake(qkv));
}

}  // namespace headlight::device_heads_test
