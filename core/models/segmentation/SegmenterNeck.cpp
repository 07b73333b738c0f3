// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/SegmenterNeck.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/models/layers/LocalNorm.h"
#include "core/models/layers/Parts.h"

namespace headlight {
namespace {

torch::nn::ConvTranspose2d makeDoubling(int width) {
  return torch::nn::ConvTranspose2d(
      torch::nn::ConvTranspose2dOptions(width, width, /*kernel_size=*/2).stride(2));
}

/// Every place that goes in gives 2 × 2.
void countDoubling(CostCounter& counter, const std::string& name, std::int64_t width,
                   std::int64_t entering) {
  counter.convolution(name, width, width, /*kernel=*/2, /*groups=*/1, /*bias=*/true, entering);
}

}  // namespace

SegmenterNeck::SegmenterNeck(int width) {
  auto four = register_module("fpn1", std::make_shared<Holder>());
  m_first = four->register_module("0", makeDoubling(width));
  m_norm = four->register_module("1", torch::nn::BatchNorm2d(width));
  m_second = four->register_module("3", makeDoubling(width));
  m_double = register_module("fpn2", std::make_shared<Holder>())
                 ->register_module("0", makeDoubling(width));
  m_halve =
      register_module("fpn4", std::make_shared<Holder>())
          ->register_module(
              "0",
              torch::nn::Conv2d(torch::nn::Conv2dOptions(width, width, 3).stride(2).padding(1)));
}

void SegmenterNeck::count(CostCounter& counter, int width, std::int64_t tokens) {
  countDoubling(counter, "fpn1.0", width, tokens);
  counter.parameters("fpn1.1", 2 * std::int64_t{width});
  countDoubling(counter, "fpn1.3", width, 4 * tokens);
  countDoubling(counter, "fpn2.0", width, tokens);
  counter.convolution("fpn4.0", width, width, 3, 1, /*bias=*/true, tokens / 4);
}

std::vector<at::Tensor> SegmenterNeck::forward(const at::Tensor& map) {
  const at::Tensor between = at::gelu(mapsNormed(m_norm, inFloat32(m_first(map))));
  return {inFloat32(m_second(between)), inFloat32(m_double(map)), map, inFloat32(m_halve(map))};
}

}  // namespace headlight
