// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/Bottleneck.h"

#include <ATen/ATen.h>

#include "core/attention/base/RowDropout.h"
#include "core/attention/base/UniformStart.h"
#include "core/models/layers/Parts.h"

namespace headlight {

Bottleneck::Bottleneck(std::int64_t width, std::int64_t hidden, double scale, double dropout,
                       const at::Tensor& like)
    : m_dropout(dropout) {
  const auto own = like.options().requires_grad(false);
  auto down = register_module("down", std::make_shared<Holder>());
  m_down = down->register_parameter("weight", at::zeros({hidden, width}, own));
  m_downBias = down->register_parameter("bias", at::zeros({hidden}, own));
  auto up = register_module("up", std::make_shared<Holder>());
  m_up = up->register_parameter("weight", at::zeros({width, hidden}, own));
  m_upBias = up->register_parameter("bias", at::zeros({width}, own));
  m_scale = register_buffer("scale", at::full({}, scale, own));
}

void Bottleneck::initialize(std::uint64_t key) {
  startUniformly(m_down, key);
}

at::Tensor Bottleneck::forward(const at::Tensor& tokens) {
  const at::Tensor hidden = at::relu(at::linear(tokens, m_down, m_downBias));
  return at::linear(is_training() ? rowDropout(hidden, m_dropout) : hidden, m_up, m_upBias) *
         m_scale;
}

std::string bottleneckOwner(const std::string& tensor) {
  const auto place = tensor.find(".bottleneck.");
  return place == std::string::npos ? std::string() : tensor.substr(0, place + 1);
}

}  // namespace headlight
