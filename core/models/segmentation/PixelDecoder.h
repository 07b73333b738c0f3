// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mask2Former's pixel decoder (Cheng et al. 2022): maps of three strides look at each other by
// deformable attention, and the finest of them is joined with stride 4. Internal to core/models.

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/normalization.h>

#include <memory>
#include <vector>

#include "core/attention/base/UndecayedParameters.h"
#include "core/models/layers/Parts.h"
#include "core/models/segmentation/DeformableLayer.h"

namespace headlight {

struct PixelDecoderShape {
  int in = 768;     ///< features of the maps that come in
  int width = 256;  ///< C
  int heads = 8;
  int groups = 32;  ///< of the group norms
  int layers = 6;
  int hidden = 1024;  ///< of the layers' MLPs

  DeformableShape attention() const { return {.width = width, .heads = heads}; }
};

struct PixelMaps {
  std::vector<at::Tensor> levels;  ///< [B, C, H, W] of strides 32, 16 and 8
  at::Tensor features;             ///< E [B, C, H / 4, W / 4]: masks are products with it
};

/// Names: input_projections.L.{0,1} (L counts from the coarsest), level_embed [3, C],
/// encoder.layers.I, adapter_1.{0,1}, layer_1.{0,1}, mask_projection.
class PixelDecoder : public torch::nn::Module, public UndecayedParameters {
 public:
  explicit PixelDecoder(const PixelDecoderShape& shape);
  /// `tokens`: places of the map of stride 16.
  static void count(CostCounter& counter, const PixelDecoderShape& shape, std::int64_t tokens);

  /// Maps of strides 4, 8, 16 and 32, float32.
  PixelMaps forward(const std::vector<at::Tensor>& maps);

 private:
  /// A convolution, then a group norm: 0, 1.
  struct NormedConv {
    torch::nn::Conv2d conv{nullptr};
    torch::nn::GroupNorm norm{nullptr};
    at::Tensor forward(const at::Tensor& maps);
  };
  NormedConv makeNormedConv(Holder& holder, int in, int kernel, bool bias) const;
  at::Tensor positionsOf(const LevelGrids& grids, const at::TensorOptions& options) const;
  at::Tensor joined(const at::Tensor& finest, const at::Tensor& encoded);

  PixelDecoderShape m_shape;
  at::Tensor m_levelEmbed;
  std::vector<NormedConv> m_inputs;
  std::vector<std::shared_ptr<DeformableLayer>> m_layers;
  NormedConv m_lateral, m_smooth;
  torch::nn::Conv2d m_maskProjection{nullptr};
};

}  // namespace headlight
