// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/GatedMlp.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {

PackedSwiGlu::PackedSwiGlu(int width, int hidden)
    : m_first(register_module("fc1", AdaptableLinear(width, 2 * hidden))),
      m_second(register_module("fc2", AdaptableLinear(hidden, width))) {}

at::Tensor PackedSwiGlu::forward(const at::Tensor& tokens) {
  const auto halves = inFloat32(m_first(tokens)).chunk(2, -1);
  return m_second(editedHidden(at::silu(halves[0]) * halves[1]));
}

SwiGlu::SwiGlu(int width, int hidden, bool norm, double normEpsilon, bool bias) {
  const auto linear = [&](const char* name, int from, int to) {
    return register_module(name, AdaptableLinear(torch::nn::LinearOptions(from, to).bias(bias)));
  };
  m_gate = linear("fc1_g", width, hidden);
  m_value = linear("fc1_x", width, hidden);
  m_second = linear("fc2", hidden, width);
  if (norm) m_norm = register_module("norm", makeNorm(hidden, normEpsilon));
}

at::Tensor SwiGlu::forward(const at::Tensor& tokens) {
  const at::Tensor hidden = at::silu(inFloat32(m_gate(tokens))) * inFloat32(m_value(tokens));
  return m_second(editedHidden(m_norm ? m_norm(hidden) : hidden));
}

}  // namespace headlight
