// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/ClassAttention.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {

ClassAttention::ClassAttention(const AttentionOptions& options)
    : Attention(options.heads), m_options(options) {
  const auto projection = [&](bool bias) {
    return AdaptableLinear(torch::nn::LinearOptions(options.width, options.width).bias(bias));
  };
  m_query = register_module("q", projection(options.qkvBias));
  m_key = register_module("k", projection(options.qkvBias));
  m_value = register_module("v", projection(options.qkvBias));
  m_proj = register_module("proj", projection(true));
}

void ClassAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const std::int64_t width = options.width, tokens = options.grid.tokens();
  counter.linear("q", width, width, options.qkvBias, 1);
  counter.linear("k", width, width, options.qkvBias, tokens);
  counter.linear("v", width, width, options.qkvBias, tokens);
  counter.macs("logits and values", 2 * tokens * width);
  counter.linear("proj", width, width, true, 1);
}

std::string ClassAttention::mapMeaning() const {
  return "Class attention: row 0 is the class token's softmax over all tokens; the other rows are "
         "the identity, because patches pass through unchanged.";
}

at::Tensor ClassAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const auto batch = tokens.size(0), length = tokens.size(1);
  const std::int64_t heads = m_options.heads, headWidth = m_options.width / heads;
  const auto byHead = [&](const at::Tensor& x) {  // [B, T, D] → [B, H, T, d]
    return x.view({batch, x.size(1), heads, headWidth}).transpose(1, 2);
  };
  const double scale = 1.0 / std::sqrt(static_cast<double>(headWidth));
  const at::Tensor query = byHead(inFloat32(m_query(tokens.slice(1, 0, 1)))) * scale,
                   keys = byHead(inFloat32(m_key(tokens))),
                   values = byHead(inFloat32(m_value(tokens)));
  at::Tensor mixed;
  {
    const Float32Scope exact;
    const at::Tensor weights =
        at::matmul(query, keys.transpose(-2, -1)).softmax(-1);  // [B, H, 1, T]
    if (tap && tap->wants(m_options.layer)) {
      at::Tensor map =
          at::eye(length, weights.options().requires_grad(false)).repeat({batch, heads, 1, 1});
      map.select(2, 0).copy_(weights.detach().squeeze(2));
      tap->take(m_options.layer, map);
    }
    mixed = at::matmul(weights, values);
    // Patches pass by the attention: only the class token's row is made by weights.
    if (tap && tap->wants(m_options.layer))
      tap->follow(m_options.layer, {{{weights.detach(), values, mixed}}, [](const auto& parts) {
                                      const std::int64_t rows = parts[0].size(3);
                                      return at::constant_pad_nd(parts[0], {0, 0, 0, rows - 1});
                                    }});
  }
  return m_proj(throughHook(tap, mixed.transpose(1, 2).reshape({batch, 1, m_options.width})));
}

}  // namespace headlight
