// SPDX-License-Identifier: GPL-3.0-or-later

// What measurements stand on: the memory that tensors hold, and LibTorch's own attention.

#include "core/workbench/bench/DeviceMeter.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/attention/kernels/HeadAttention.h"
#include "core/base/TorchCompat.h"
#include "tests/attention/MaskedHeads.h"

namespace headlight {
namespace {

using namespace headlight::testing;

constexpr std::int64_t kMegabyte = 1 << 20;

at::Tensor megabytes(std::int64_t count, const at::Device& device) {
  return at::empty({count * kMegabyte}, at::TensorOptions(device).dtype(at::kByte));
}

TEST(DeviceMeter, CountsTheMostThatTensorsHoldAtATime) {
  for (const at::Device& device : devices()) {
    const auto peak = measurePeakTensorBytes(
        [&] {
          megabytes(2, device);  // goes at once
          const at::Tensor kept = megabytes(4, device);
          { const at::Tensor more = megabytes(3, device); }
          const at::Tensor last = megabytes(1, device);
        },
        device);
    EXPECT_GE(peak, 7 * kMegabyte) << device;
    // A GPU's allocator hands out a larger block where little of it would be left.
    EXPECT_LE(peak, (device.is_cpu() ? 7 : 10) * kMegabyte) << device;
    EXPECT_EQ(measurePeakTensorBytes([] {}, device), 0);
  }
}

TEST(DeviceMeter, CountsBackwardPassesToo) {
  for (const at::Device& device : devices()) {
    const at::Tensor leaf = at::zeros({kMegabyte / 4}, device).requires_grad_();
    const auto peak = measurePeakTensorBytes([&] { (leaf * 2).sum().backward(); }, device);
    EXPECT_GE(peak, 2 * kMegabyte) << device;  // the product and the gradient
    EXPECT_EQ(leaf.grad().device(), device);
  }
}

TEST(LibraryAttention, IsStrictMasking) {
  if (!kLibraryHasAttention) GTEST_SKIP() << "this LibTorch has no attention of its own";
  const MaskedCase c{{5, 4, 0}, 8, {"strict:3", "strict:3"}};
  for (const at::Device& device : devices()) {
    const auto options = at::TensorOptions(device).dtype(at::kFloat);
    const at::Tensor qkv = at::randn({2, c.grid.tokens(), 3 * c.width()}, options);
    const HeadLogits logits = logitsOf(c, options);
    const HeadInputs inputs = HeadInputs::packed(qkv, c.heads());
    const at::Tensor ours = headAttentionPlain(inputs, logits, false).output;
    const at::Tensor theirs = libraryAttention(inputs.part(0), inputs.part(1), inputs.part(2),
                                               logits.masks[0].to(at::kBool));
    EXPECT_LT(gapOf(theirs.transpose(1, 2).reshape(ours.sizes()), ours), 1e-5) << device;
  }
}

}  // namespace
}  // namespace headlight
