// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/FeatureMapAttention.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/QueryKeyCapture.h"

namespace headlight {
namespace {

/// [B, T, H·d] → [B, H, T, d].
at::Tensor splitByHead(const at::Tensor& x, std::int64_t heads) {
  return inFloat32(x).view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

}  // namespace

at::Tensor featureMixed(const at::Tensor& query, const at::Tensor& key, const at::Tensor& values) {
  const at::Tensor sums = at::matmul(query, key.sum(-2, /*keepdim=*/true).transpose(-2, -1));
  return at::matmul(query, at::matmul(key.transpose(-2, -1), values)) /
         sums.clamp_min(kLeastFeatureSum);
}

at::Tensor featureWeights(const at::Tensor& query, const at::Tensor& key) {
  const at::Tensor similarities = at::matmul(query, key.transpose(-2, -1));
  return similarities / similarities.sum(-1, /*keepdim=*/true).clamp_min(kLeastFeatureSum);
}

FeatureMapAttention::FeatureMapAttention(const AttentionOptions& options)
    : Attention(options.heads), m_layer(options.layer), m_heads(options.heads) {
  const auto linear = [&](const char* name, bool bias) {
    return register_module(
        name, AdaptableLinear(torch::nn::LinearOptions(options.width, options.width).bias(bias)));
  };
  m_query = linear("query", options.qkvBias);
  m_key = linear("key", options.qkvBias);
  m_value = linear("value", options.qkvBias);
  m_proj = linear("proj", true);
}

void FeatureMapAttention::countFeatures(CostCounter& counter, const AttentionOptions& options,
                                        std::int64_t features) {
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  for (const char* name : {"query", "key", "value"})
    counter.linear(name, width, width, options.qkvBias, tokens);
  counter.macs("keys times values, queries", 2 * tokens * features * width);
  counter.linear("proj", width, width, true, tokens);
}

at::Tensor FeatureMapAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const at::Tensor q = splitByHead(m_query(tokens), m_heads),
                   k = splitByHead(m_key(tokens), m_heads),
                   v = splitByHead(m_value(tokens), m_heads);
  if (QueryKeyHook::wanted()) QueryKeyHook::notify(q, k);
  at::Tensor mixed;
  {
    const Float32Scope exact;
    const at::Tensor query = queryFeatures(q), key = keyFeatures(k);
    mixed = featureMixed(query, key, v);
    if (tap && tap->wants(m_layer)) {
      const at::Tensor map = featureWeights(query.detach(), key.detach());
      tap->take(m_layer, map);
      tap->follow(m_layer, {{{map, v, mixed}}});
    }
  }
  return m_proj(
      throughHook(tap, mixed.transpose(1, 2).reshape({tokens.size(0), tokens.size(1), -1})));
}

}  // namespace headlight
