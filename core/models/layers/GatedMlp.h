// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// MLPs whose hidden features are gated: SwiGLU (Shazeer 2020), in timm's two layouts.

#include "core/models/layers/Parts.h"

namespace headlight {

/// fc2(SiLU(a) ⊙ b), (a, b) = the halves of fc1(x), one layer for both (DINOv2 giant, EVA-02 tiny
/// and small). `hidden`: what goes into fc2.
class PackedSwiGlu : public BlockMlp {
 public:
  PackedSwiGlu(int width, int hidden);
  at::Tensor forward(const at::Tensor& tokens) override;

 private:
  AdaptableLinear m_first{nullptr}, m_second{nullptr};
};

/// fc2(norm(SiLU(fc1_g(x)) ⊙ fc1_x(x))): two layers (DINOv3; AIMv2, without biases), with a
/// norm in EVA-02 base and large.
class SwiGlu : public BlockMlp {
 public:
  SwiGlu(int width, int hidden, bool norm, double normEpsilon, bool bias = true);
  at::Tensor forward(const at::Tensor& tokens) override;

 private:
  AdaptableLinear m_gate{nullptr}, m_value{nullptr}, m_second{nullptr};
  torch::nn::LayerNorm m_norm{nullptr};
};

}  // namespace headlight
