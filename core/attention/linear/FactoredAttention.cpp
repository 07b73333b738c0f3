// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/FactoredAttention.h"

#include <ATen/ATen.h>

#include "core/attention/base/FusedHeads.h"
#include "core/attention/base/MixedPrecision.h"

namespace headlight {

FactoredAttention::FactoredAttention(const AttentionOptions& options, const FactoredParts& parts)
    : Attention(options.heads), m_options(options) {
  const int width = options.width;
  m_qkv = register_module(
      "qkv", AdaptableLinear(torch::nn::LinearOptions(width, 3 * width).bias(options.qkvBias)));
  m_convolution = register_module(parts.convolution,
                                  std::make_shared<ValueConvolution>(parts.filters, options.grid));
  if (parts.modulated) m_modulation = register_module("modulation", AdaptableLinear(width, width));
  m_proj = register_module("proj", AdaptableLinear(width, width));
}

void FactoredAttention::countParts(CostCounter& counter, const AttentionOptions& options,
                                   const FactoredParts& parts) {
  const std::int64_t width = options.width, tokens = options.grid.tokens(),
                     each = width / options.heads;
  counter.linear("qkv", width, 3 * width, options.qkvBias, tokens);
  counter.macs("keys times values, queries", 2 * tokens * (each + parts.constantFeatures) * width);
  ValueConvolution::count(counter, parts.convolution, parts.filters, width, options.grid);
  if (parts.modulated) counter.linear("modulation", width, width, true, tokens);
  counter.linear("proj", width, width, true, tokens);
}

std::string FactoredAttention::kernelText() const {
  return "matrix products, keys times values first, and a depthwise convolution";
}

at::Tensor FactoredAttention::mixed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                    AttentionHook* tap) const {
  const Float32Scope exact;
  const KernelFeatures f = features(q, k);
  const at::Tensor y = at::matmul(f.query, at::matmul(f.key.transpose(-2, -1), v));
  if (tap && tap->wants(m_options.layer)) {
    const at::Tensor map = at::matmul(f.query, f.key.transpose(-2, -1)).detach();
    tap->take(m_options.layer, map);
    tap->follow(m_options.layer, {{{map, v, y}}});
  }
  return y + m_convolution->forward(v);
}

at::Tensor FactoredAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const FusedHeads all = fusedHeads(m_qkv(tokens), m_options.heads);
  const at::Tensor y = headsBesideEachOther(mixed(all.query, all.key, all.value, tap));
  return m_proj(throughHook(tap, m_modulation ? y * inFloat32(m_modulation(tokens)) : y));
}

}  // namespace headlight
