// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Maps of four strides from the one map of a ViT, as BEiT's segmenters have them (Bao et al. 2022);
// here stride 32 is a convolution. Internal to core/models.

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <vector>

#include "core/attention/base/Cost.h"

namespace headlight {

/// Stride 4: two transposed convolutions 2 × 2 of stride 2, a batch norm and GELU between; 8: one;
/// 16: the map as it is; 32: a convolution 3 × 3 of stride 2. The width stays. Names: fpn1.{0,1,3},
/// fpn2.0, fpn4.0.
class SegmenterNeck : public torch::nn::Module {
 public:
  explicit SegmenterNeck(int width);
  /// `tokens`: places of the map of stride 16.
  static void count(CostCounter& counter, int width, std::int64_t tokens);

  /// [B, D, H, W], H and W even → of strides 4, 8, 16 and 32 (of patches of 16 pixels; with others
  /// a quarter, a half, one and two of them, here and in the decoders).
  std::vector<at::Tensor> forward(const at::Tensor& map);

 private:
  torch::nn::ConvTranspose2d m_first{nullptr}, m_second{nullptr}, m_double{nullptr};
  torch::nn::BatchNorm2d m_norm{nullptr};
  torch::nn::Conv2d m_halve{nullptr};
};

}  // namespace headlight
