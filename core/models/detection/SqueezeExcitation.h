// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Squeeze and excitation (Hu et al. 2018): a weight in [0, 1] for every channel of an image, from
// the channels' means. Internal to core/models.

#include "core/models/detection/ConvBlock.h"

namespace headlight {

/// x ⊙ σ₆(W₂ ReLU(W₁ mean(x))) with σ₆ the hard sigmoid and c/4 hidden channels, both maps with
/// bias: reduce, expand.
class SqueezeExcitation : public MapLayer {
 public:
  explicit SqueezeExcitation(int channels);
  static void count(CostCounter& counter, const std::string& name, int channels);
  /// [B, c, H, W] → the same.
  at::Tensor forward(const at::Tensor& maps) override;

 private:
  torch::nn::Conv2d m_reduce{nullptr}, m_expand{nullptr};
};

}  // namespace headlight
