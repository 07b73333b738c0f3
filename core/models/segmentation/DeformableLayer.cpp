// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/DeformableLayer.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/models/segmentation/SegmenterParts.h"

namespace headlight {

DeformableLayer::DeformableLayer(const DeformableShape& shape, int hidden) {
  m_attention = register_module("self_attn", std::make_shared<DeformableAttention>(shape));
  m_attended = register_module("self_attn_layer_norm", makeSegmenterNorm(shape.width));
  m_first = register_module("fc1", makeXavierLinear(shape.width, hidden));
  m_second = register_module("fc2", makeXavierLinear(hidden, shape.width));
  m_final = register_module("final_layer_norm", makeSegmenterNorm(shape.width));
}

void DeformableLayer::count(CostCounter& counter, const std::string& name,
                            const DeformableShape& shape, int hidden, std::int64_t cells) {
  DeformableAttention::count(counter, name + ".self_attn", shape, cells);
  counter.parameters(name + ".self_attn_layer_norm", 2 * std::int64_t{shape.width});
  counter.linear(name + ".fc1", shape.width, hidden, true, cells);
  counter.linear(name + ".fc2", hidden, shape.width, true, cells);
  counter.parameters(name + ".final_layer_norm", 2 * std::int64_t{shape.width});
}

at::Tensor DeformableLayer::forward(const at::Tensor& cells, const at::Tensor& positions,
                                    const LevelGrids& grids) {
  const at::Tensor attended =
      m_attended(cells + m_attention->forward(cells + positions, cells, grids));
  return m_final(attended + inFloat32(m_second(at::relu(m_first(attended)))));
}

}  // namespace headlight
