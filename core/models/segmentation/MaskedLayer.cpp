// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/MaskedLayer.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/models/segmentation/SegmenterParts.h"

namespace headlight {

MaskedLayer::MaskedLayer(const MaskedLayerShape& shape) {
  const int width = shape.width;
  m_cross = register_module("cross_attn", std::make_shared<QueryAttention>(width, shape.heads));
  m_crossNorm = register_module("cross_attn_layer_norm", makeSegmenterNorm(width));
  m_self = register_module("self_attn", std::make_shared<QueryAttention>(width, shape.heads));
  m_selfNorm = register_module("self_attn_layer_norm", makeSegmenterNorm(width));
  m_first = register_module("fc1", makeXavierLinear(width, shape.hidden));
  m_second = register_module("fc2", makeXavierLinear(shape.hidden, width));
  m_final = register_module("final_layer_norm", makeSegmenterNorm(width));
}

void MaskedLayer::count(CostCounter& counter, const std::string& name,
                        const MaskedLayerShape& shape, std::int64_t queries, std::int64_t cells) {
  const std::int64_t norm = 2 * std::int64_t{shape.width};
  QueryAttention::count(counter, name + ".cross_attn", shape.width, queries, cells);
  counter.parameters(name + ".cross_attn_layer_norm", norm);
  QueryAttention::count(counter, name + ".self_attn", shape.width, queries, queries);
  counter.parameters(name + ".self_attn_layer_norm", norm);
  counter.linear(name + ".fc1", shape.width, shape.hidden, true, queries);
  counter.linear(name + ".fc2", shape.hidden, shape.width, true, queries);
  counter.parameters(name + ".final_layer_norm", norm);
}

at::Tensor MaskedLayer::forward(const at::Tensor& queries, const at::Tensor& positions,
                                const DecoderMemory& memory, const at::Tensor& seen,
                                at::Tensor* map) {
  const at::Tensor keys = memory.values + memory.positions;
  const at::Tensor looked = m_crossNorm(
      queries + m_cross->forward({queries + positions, keys, memory.values, seen}, map));
  const at::Tensor placed = looked + positions;
  const at::Tensor compared = m_selfNorm(looked + m_self->forward({placed, placed, looked}));
  return m_final(compared + inFloat32(m_second(at::relu(m_first(compared)))));
}

}  // namespace headlight
