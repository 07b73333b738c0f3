// SPDX-License-Identifier: GPL-3.0-or-later

// KernelCases.h: masked heads in linear time.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "core/attention/kernels/HeadAttention.h"
#include "core/attention/kernels/HeadKernel.h"
#include "core/masks/MaskRegions.h"
#include "core/workbench/selftest/FloatGaps.h"
#include "core/workbench/selftest/KernelCases.h"

namespace headlight {
namespace {

constexpr std::uint64_t kHeadsSeed = 5;
constexpr std::int64_t kHeadsImages = 2;

at::Tensor maskTensor(const std::vector<std::uint8_t>& ones, std::int64_t tokens) {
  at::Tensor mask = at::empty({tokens, tokens}, at::kByte);
  std::copy(ones.begin(), ones.end(), mask.data_ptr<std::uint8_t>());
  return mask;
}

HeadLogits logitsOfMasks(const HeadsCase& given, const at::TensorOptions& options) {
  HeadLogits logits;
  for (const std::string& text : given.masks) {
    const HeadMask mask = valueOrThrow(headMaskFromText(text));
    const auto ones = selectedMask(mask, given.grid, given.grid, mask.seed);
    logits.masks.push_back(maskTensor(ones, given.grid.tokens()).to(options));
    logits.sets.push_back(selectedSets(given.grid, ones.data()));
    logits.rules.push_back(mask.kind == MaskKind::Strict ? LogitRule::Forbid : LogitRule::Multiply);
  }
  return logits;
}

at::Tensor queriesKeysValues(const HeadsCase& given) {
  const auto width = static_cast<std::int64_t>(given.masks.size()) * given.headWidth;
  return seededNoise({kHeadsImages, given.grid.tokens(), 3 * width}, kHeadsSeed);
}

}  // namespace

/// Prefixes of 0, 1 and 2 tokens, grids that a window covers and that it does not; the last with
/// heads as wide as real ones and keys that take a block several rounds.
std::vector<HeadsCase> headsCases() {
  return {{{3, 4, 0}, 5, {"hard:1", "hard:3"}},
          {{5, 3, 1}, 8, {"strict:3", "random:3#5", "hard:5"}},
          {{4, 4, 2}, 6, {"hard:3", "strict:5", "strict:1", "hard:3"}},
          {{9, 10, 1}, 7, {"random:5#2", "hard:3"}},
          {{14, 14, 1}, 64, {"hard:3", "strict:5", "hard:3", "random:3#4"}}};
}

KernelOutcome headsOutcome(const HeadsCase& given, const KernelSide& side) {
  const at::Tensor qkv = queriesKeysValues(given).to(side.options()).requires_grad_();
  const HeadLogits logits = logitsOfMasks(given, side.options());
  const HeadInputs inputs = HeadInputs::packed(qkv, static_cast<std::int64_t>(given.masks.size()));
  const AttentionOutput found = side.plain ? headAttentionPlain(inputs, logits, /*wantMap=*/true)
                                           : headAttention(inputs, logits, /*wantMap=*/true);
  const at::Tensor upstream = at::linspace(-1, 1, found.output.numel(), at::kDouble)
                                  .view(found.output.sizes())
                                  .to(side.options());
  return {{found.output.detach(), found.map},
          torch::autograd::grad({found.output}, {qkv}, {upstream})};
}

std::string headsKernel(const at::Device& device) {
  const HeadsCase given = headsCases().front();
  const KernelSide side{device, at::kFloat, false};
  const at::Tensor qkv = queriesKeysValues(given).to(side.options());
  return headKernelsText(headKernels(qkv, logitsOfMasks(given, side.options())));
}

}  // namespace headlight
