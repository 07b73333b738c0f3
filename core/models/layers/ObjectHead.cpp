// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/ObjectHead.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {
namespace {

constexpr int kLayers = 3;
constexpr int kBoxNumbers = 4;

at::Tensor throughLayers(std::vector<torch::nn::Linear>& layers, at::Tensor tokens) {
  for (std::size_t i = 0; i < layers.size(); ++i)
    tokens = i == 0 ? layers[i](tokens) : layers[i](at::relu(tokens));
  return inFloat32(tokens);
}

}  // namespace

ObjectHead::ObjectHead(int width, int classes)
    : m_classes(makeLayers("classes", width, classes)),
      m_boxes(makeLayers("boxes", width, kBoxNumbers)) {}

ObjectHead::Layers ObjectHead::makeLayers(const char* name, int width, int outputs) {
  auto holder = register_module(name, std::make_shared<Holder>());
  Layers layers;
  for (int i = 0; i < kLayers; ++i)
    layers.push_back(holder->register_module(
        std::to_string(i), torch::nn::Linear(width, i + 1 < kLayers ? width : outputs)));
  return layers;
}

void ObjectHead::count(CostCounter& counter, int width, int classes, std::int64_t tokens) {
  for (const auto& [name, outputs] : {std::pair{"classes.", classes}, {"boxes.", kBoxNumbers}})
    for (int i = 0; i < kLayers; ++i)
      counter.linear("object_head." + (name + std::to_string(i)), width,
                     i + 1 < kLayers ? width : outputs, true, tokens);
}

ObjectScores ObjectHead::forward(const at::Tensor& tokens) {
  return {throughLayers(m_classes, tokens), at::sigmoid(throughLayers(m_boxes, tokens))};
}

}  // namespace headlight
