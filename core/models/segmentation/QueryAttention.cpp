// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/QueryAttention.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "core/attention/base/MixedPrecision.h"
#include "core/models/segmentation/SegmenterParts.h"

namespace headlight {
namespace {

/// Logits [B, H, Q, T] with −∞ where nothing is seen.
at::Tensor restricted(const at::Tensor& logits, const at::Tensor& seen) {
  if (!seen.defined()) return logits;
  const at::Tensor nothing = at::full_like(logits, -std::numeric_limits<double>::infinity());
  return at::where(seen.unsqueeze(1), logits, nothing);
}

}  // namespace

QueryAttention::QueryAttention(int width, int heads) : m_heads(heads) {
  m_query = register_module("q_proj", makeXavierLinear(width, width));
  m_key = register_module("k_proj", makeXavierLinear(width, width));
  m_value = register_module("v_proj", makeXavierLinear(width, width));
  m_output = register_module("out_proj", makeXavierLinear(width, width));
}

void QueryAttention::count(CostCounter& counter, const std::string& name, int width,
                           std::int64_t queries, std::int64_t keys) {
  counter.linear(name + ".q_proj", width, width, true, queries);
  counter.linear(name + ".k_proj", width, width, true, keys);
  counter.linear(name + ".v_proj", width, width, true, keys);
  counter.macs(name + ".products", 2 * queries * keys * width);
  counter.linear(name + ".out_proj", width, width, true, queries);
}

/// [B, T, C] → [B, H, T, C/H].
at::Tensor QueryAttention::byHead(torch::nn::Linear& projection, const at::Tensor& tokens) const {
  const at::Tensor projected = inFloat32(projection(tokens));
  return projected.reshape({tokens.size(0), tokens.size(1), m_heads, -1}).transpose(1, 2);
}

at::Tensor QueryAttention::forward(const QueryInputs& inputs, at::Tensor* map) {
  const at::Tensor q = byHead(m_query, inputs.queries), k = byHead(m_key, inputs.keys);
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  const at::Tensor logits = inFloat32(at::matmul(q * scale, k.transpose(2, 3)));
  const at::Tensor weights = restricted(logits, inputs.seen).softmax(-1);
  if (map) *map = weights.detach();
  const at::Tensor heads = inFloat32(at::matmul(weights, byHead(m_value, inputs.values)));
  return inFloat32(m_output(heads.transpose(1, 2).flatten(2)));
}

}  // namespace headlight
