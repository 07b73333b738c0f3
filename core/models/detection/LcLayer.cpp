// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/detection/LcLayer.h"

#include <ATen/ATen.h>

namespace headlight {

LcLayer::LcLayer(const LcShape& shape) {
  const SeparableShape convolutions = shape.convolutions();
  m_depthwise = register_module("depthwise", std::make_shared<ConvBlock>(convolutions.depthwise()));
  if (shape.squeeze)
    m_squeeze = register_module("se", std::make_shared<SqueezeExcitation>(shape.in));
  m_pointwise = register_module("pointwise", std::make_shared<ConvBlock>(convolutions.pointwise()));
}

void LcLayer::count(CostCounter& counter, const std::string& name, const LcShape& shape,
                    std::int64_t positions) {
  SeparableBlock::count(counter, name, shape.convolutions(), positions);
  if (shape.squeeze) SqueezeExcitation::count(counter, name + ".se", shape.in);
}

at::Tensor LcLayer::forward(const at::Tensor& maps) {
  const at::Tensor mixed = m_depthwise->forward(maps);
  return m_pointwise->forward(m_squeeze ? m_squeeze->forward(mixed) : mixed);
}

}  // namespace headlight
