// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/detection/SqueezeExcitation.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {

SqueezeExcitation::SqueezeExcitation(int channels) {
  using torch::nn::Conv2dOptions;
  m_reduce = register_module("reduce", torch::nn::Conv2d(Conv2dOptions(channels, channels / 4, 1)));
  m_expand = register_module("expand", torch::nn::Conv2d(Conv2dOptions(channels / 4, channels, 1)));
}

void SqueezeExcitation::count(CostCounter& counter, const std::string& name, int channels) {
  counter.linear(name + ".reduce", channels, channels / 4, /*bias=*/true, 1);
  counter.linear(name + ".expand", channels / 4, channels, /*bias=*/true, 1);
}

at::Tensor SqueezeExcitation::forward(const at::Tensor& maps) {
  const at::Tensor means = maps.mean({2, 3}, /*keepdim=*/true);
  return maps * at::hardsigmoid(inFloat32(m_expand(at::relu(m_reduce(means)))));
}

}  // namespace headlight
