// SPDX-License-Identifier: GPL-3.0-or-later

// The linear-time form by plain tensor operations against loops in double precision, finite
// differences and the CPU's kernel, on every device that is there.

#include "core/attention/kernels/heads/GatheredHeads.h"

#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <functional>
#include <numeric>

#include "core/attention/kernels/HeadAttention.h"
#include "core/attention/kernels/heads/SetTensors.h"
#include "tests/attention/Gradients.h"
#include "tests/attention/MaskedHeads.h"

namespace headlight::gathered_heads_test {

using namespace headlight::testing;

std::vector<std::int64_t> allHeads(const MaskedCase& c) {
  std::vector<std::int64_t> list(c.heads());
  std::iota(list.begin(), list.end(), 0);
  return list;
}

at::Tensor randomQkv(const MaskedCase& c, const at::TensorOptions& options) {
  return (at::randn({2, c.grid.tokens(), 3 * c.width()}, at::kDouble) * 1.5).to(options);
}

TEST(GatheredHeads, EqualTheNaiveLoops) {
  constexpr double kTolerance = 1e-5;  // float32 against double
  for (const at::Device& device : devices())
    for (const MaskedCase& c : maskedCases()) {
      const auto options = at::TensorOptions(device).dtype(at::kFloat);
      const at::Tensor qkv = randomQkv(c, options);
      const at::NoGradGuard noGrad;
      const auto result =
          gathered::forward(qkv, c.heads(), allHeads(c), logitsOf(c, options), true);
      const at::Tensor maps = naiveMaps(c, qkv);
      EXPECT_LT(gapOf(result.map, maps), kTolerance) << c.name() << " on " << device;
      EXPECT_LT(gapOf(result.output, naiveHeads(c, qkv, maps)), kTolerance)
          << c.name() << " on " << device;
      EXPECT_FALSE(gathered::forward(qkv, c.heads(), allHeads(c), logitsOf(c, options), false)
                       .map.defined());
    }
}

TEST(GatheredHeads, HaveGradientsThatAreFiniteDifferences) {
  for (const at::Device& device : devices())
    for (const MaskedCase& c : maskedCases()) {
      const auto options = at::TensorOptions(device).dtype(at::kDouble);
      const at::Tensor qkv = randomQkv(c, options).requires_grad_();
      const at::Tensor upstream =
          at::randn({2, c.heads(), c.grid.tokens(), c.headWidth}, at::kDouble).to(options);
      const HeadLogits logits = logitsOf(c, options);
      expectFiniteDifferences(torch::nn::Module(), qkv, [&] {
        return (gathered::forward(qkv, c.heads(), allHeads(c), logits, false).output * upstream)
            .sum();
      });
    }
}

/// Output [B, T, D], map and gradient of qkv.
std::vector<at::Tensor> outcomeOf(const at::Tensor& base, const at::Tensor& upstream,
                                  const std::function<AttentionOutput(const at::Tensor&)>& run) {
  const at::Tensor qkv = base.clone().requires_grad_();
  const AttentionOutput result = run(qkv);
  (result.output * upstream).sum().backward();
  return {result.output, result.map, qkv.grad()};
}

AttentionOutput byGathering(const MaskedCase& c, const at::Tensor& qkv) {
  const auto result =
      gathered::forward(qkv, c.heads(), allHeads(c), logitsOf(c, qkv.options()), true);
  return {result.output.transpose(1, 2).reshape({qkv.size(0), qkv.size(1), c.width()}), result.map};
}

AttentionOutput byTheCpusKernel(const MaskedCase& c, const at::Tensor& qkv) {
  return headAttention(HeadInputs::packed(qkv, c.heads()), logitsOf(c, qkv.options()), true);
}

TEST(GatheredHeads, EqualTheCpusKernelForwardAndBackward) {
  constexpr double kTolerance = 1e-10;  // both double
  for (const at::Device& device : devices())
    for (const MaskedCase& c : maskedCases()) {
      const at::Tensor base = randomQkv(c, at::kDouble);
      const at::Tensor upstream = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble);
      const auto kernel =
          outcomeOf(base, upstream, [&](const at::Tensor& qkv) { return byTheCpusKernel(c, qkv); });
      const auto plain = outcomeOf(base.to(device), upstream.to(device),
                                   [&](const at::Tensor& qkv) { return byGathering(c, qkv); });
      for (std::size_t i = 0; i < plain.size(); ++i)
        EXPECT_LT(gapOf(plain[i], kernel[i]), kTolerance)
            << c.name() << " on " << device << " " << i;
    }
}

TEST(GatheredHeads, AreTheSameHoweverFewRowsAreGatheredAtATime) {
  for (const MaskedCase& c : maskedCases()) {
    const at::Tensor qkv = randomQkv(c, at::kDouble);
    const HeadLogits logits = logitsOf(c, qkv.options());
    const auto whole = gathered::forward(qkv, c.heads(), allHeads(c), logits, true);
    for (const std::int64_t values : {1, 3000}) {  // a row at a time, a few rows
      const auto parts = gathered::forward(qkv, c.heads(), allHeads(c), logits, true, values);
      EXPECT_LT(gapOf(parts.output, whole.output), 1e-13) << c.name();
      EXPECT_LT(gapOf(parts.map, whole.map), 1e-13) << c.name();
    }
  }
}

TEST(GatheredHeads, GiveTheListedHeadsInTheListsOrder) {
  const MaskedCase c = maskedCases()[2];  // heads 0 and 3 share a mask
  const at::Tensor qkv = randomQkv(c, at::kDouble);
  const HeadLogits logits = logitsOf(c, qkv.options());
  const at::Tensor all = gathered::forward(qkv, c.heads(), allHeads(c), logits, false).output;
  const std::vector<std::int64_t> list{3, 1, 0};
  const at::Tensor some = gathered::forward(qkv, c.heads(), list, logits, false).output;
  for (std::size_t i = 0; i < list.size(); ++i)
    EXPECT_LT(gapOf(some.select(1, static_cast<std::int64_t>(i)), all.select(1, list[i])), 1e-13);
  EXPECT_EQ(gathered::forward(qkv, c.heads(), {}, logits, true).output.size(1), 0);
}

TEST(GatheredHeads, StayFiniteForLargeLogits) {
  const MaskedCase c{{5, 5, 1}, 8, {"hard:3", "strict:3"}};
  const at::Tensor qkv = randomQkv(c, at::kFloat) * 60;
  const auto result = gathered::forward(qkv, 2, {0, 1}, logitsOf(c, qkv.options()), true);
  EXPECT_TRUE(result.output.isfinite().all().item<bool>());
  EXPECT_LT(gapOf(result.map.sum(-1), at::ones({})), 1e-5);
}

TEST(LinearForms, AreExactWhereEveryLogitIsFarBelowZero) {
  for (const MaskedCase& c : casesThatSelectAll()) {
    const at::Tensor base = farBelowZero(c);
    const at::Tensor upstream = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble);
    const auto plain = outcomeOf(base, upstream, [&](const at::Tensor& qkv) {
      return headAttentionPlain(HeadInputs::packed(qkv, c.heads()), logitsOf(c, qkv.options()),
                                true);
    });
    const auto kernel =
        outcomeOf(base, upstream, [&](const at::Tensor& qkv) { return byTheCpusKernel(c, qkv); });
    const auto gathers =
        outcomeOf(base, upstream, [&](const at::Tensor& qkv) { return byGathering(c, qkv); });
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_LT(gapOf(kernel[i], plain[i]), 1e-9) << c.name() << " " << i;
      EXPECT_LT(gapOf(gathers[i], plain[i]), 1e-9) << c.name() << " " << i;
    }
  }
}

TEST(SetTensors, SayWhatTheSetsSay) {
  const MaskedCase c{{3, 3, 1}, 1, {"hard:3"}};
  const auto sets = logitsOf(c, at::kFloat).sets[0];
  const PaddedSets padded = paddedSets(sets, at::kCPU);
  ASSERT_EQ(padded.columns.size(0), 9);
  ASSERT_EQ(padded.columns.size(1), 10);  // the middle patch: 3 × 3 and the prefix
  for (std::int64_t row = 0; row < 9; ++row) {
    const std::int64_t begin = sets->rowStart[row + 1], count = sets->rowStart[row + 2] - begin;
    EXPECT_EQ(padded.counts[row][0].item<std::int64_t>(), count);
    EXPECT_EQ(padded.present[row].sum().item<std::int64_t>(), count);
    for (std::int64_t i = 0; i < 10; ++i) {
      EXPECT_EQ(padded.present[row][i].item<bool>(), i < count);
      EXPECT_EQ(padded.columns[row][i].item<std::int64_t>(),
                i < count ? sets->columns[begin + i] : 0);
    }
  }
  EXPECT_TRUE(paddedSets(sets, at::kCPU).columns.is_same(padded.columns));  // made once
  const CompressedSets compressed = compressedSets(sets, at::kCPU);
  EXPECT_EQ(compressed.rowStart.numel(), 11);
  EXPECT_EQ(compressed.columns.numel(), sets->size());
  EXPECT_EQ(compressed.rows.numel(), sets->size());
}

}  // namespace headlight::gathered_heads_test
