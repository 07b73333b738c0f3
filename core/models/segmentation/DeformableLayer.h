// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A layer of Mask2Former's pixel decoder (Cheng et al. 2022). Internal to core/models.

#include <torch/nn/modules/normalization.h>

#include "core/models/segmentation/DeformableAttention.h"

namespace headlight {

/// x ← norm(x + attention(x + positions)), then x ← norm(x + fc2(relu(fc1(x)))). Names: self_attn,
/// self_attn_layer_norm, fc1, fc2, final_layer_norm.
class DeformableLayer : public torch::nn::Module {
 public:
  /// `hidden`: features between fc1 and fc2.
  DeformableLayer(const DeformableShape& shape, int hidden);
  static void count(CostCounter& counter, const std::string& name, const DeformableShape& shape,
                    int hidden, std::int64_t cells);

  /// [B, N, C], positions [N, C] → [B, N, C].
  at::Tensor forward(const at::Tensor& cells, const at::Tensor& positions, const LevelGrids& grids);

 private:
  std::shared_ptr<DeformableAttention> m_attention;
  torch::nn::LayerNorm m_attended{nullptr}, m_final{nullptr};
  torch::nn::Linear m_first{nullptr}, m_second{nullptr};
};

}  // namespace headlight
