// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/TalkingHeadsAttention.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/FusedHeads.h"
#include "core/attention/base/MixedPrecision.h"
#include "core/base/ModelPart.h"

namespace headlight {
namespace {

/// Σ_g W[h, g]·x[b, g, …] + bias[h] for x [B, H, T, T]: one product of a small matrix with a long
/// one per image, so that the T × T pairs stay where they are.
at::Tensor mixHeads(AdaptableLinear& mix, const at::Tensor& x) {
  const PartScope scope(ModelPart::Attention, /*whole=*/true);  // it mixes scores
  const auto batch = x.size(0), heads = x.size(1);
  return at::baddbmm(mix->bias.view({1, heads, 1}), mix->weight.expand({batch, heads, heads}),
                     x.reshape({batch, heads, -1}))
      .view_as(x);
}

}  // namespace

TalkingHeadsAttention::TalkingHeadsAttention(const AttentionOptions& options)
    : MaskedAttention(options.layer, options.heads, options.grid), m_options(options) {
  using torch::nn::LinearOptions;
  m_qkv = register_module(
      "qkv",
      AdaptableLinear(LinearOptions(options.width, 3 * options.width).bias(options.qkvBias)));
  m_proj = register_module("proj", AdaptableLinear(options.width, options.width));
  m_mixLogits = register_module("proj_l", AdaptableLinear(options.heads, options.heads));
  m_mixWeights = register_module("proj_w", AdaptableLinear(options.heads, options.heads));
}

void TalkingHeadsAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const std::int64_t width = options.width, tokens = options.grid.tokens(), heads = options.heads;
  counter.linear("qkv", width, 3 * width, options.qkvBias, tokens);
  counter.macs("logits and values", 2 * tokens * tokens * width);  // QKᵀ and A'V
  counter.linear("proj_l", heads, heads, true, tokens * tokens);
  counter.linear("proj_w", heads, heads, true, tokens * tokens);
  counter.linear("proj", width, width, true, tokens);
}

std::string TalkingHeadsAttention::mapMeaning() const {
  return "Talking-heads attention: the softmax of each head's mixed logits, before heads are mixed "
         "a second time; each row sums to 1.";
}

at::Tensor TalkingHeadsAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const FusedHeads all = fusedHeads(m_qkv(tokens), m_options.heads);
  const auto channels = all.query.size(-1);
  const double scale = 1.0 / std::sqrt(static_cast<double>(channels));
  at::Tensor mixed;
  {
    const Float32Scope exact;
    const at::Tensor logits = at::matmul(all.query * scale, all.key.transpose(-2, -1));
    const at::Tensor weights = masked(mixHeads(m_mixLogits, logits)).softmax(-1);
    if (tap && tap->wants(m_options.layer)) {
      tap->take(m_options.layer, weights.detach());
      tap->follow(m_options.layer, {{{weights.detach(), {}, weights}}});
    }
    mixed = at::matmul(mixHeads(m_mixWeights, weights), all.value);
  }
  return m_proj(throughHook(tap, headsBesideEachOther(mixed)));
}

}  // namespace headlight
