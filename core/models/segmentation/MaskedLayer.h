// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A layer of Mask2Former's transformer decoder (Cheng et al. 2022). Internal to core/models.

#include <torch/nn/modules/normalization.h>

#include <memory>

#include "core/models/segmentation/QueryAttention.h"

namespace headlight {

struct MaskedLayerShape {
  int width = 256;
  int heads = 8;
  int hidden = 2048;
};

/// The cells of one level.
struct DecoderMemory {
  at::Tensor values;     ///< [B, T, C]
  at::Tensor positions;  ///< [T, C]: keys are values with them
};

/// x ← norm(x + cross-attention over the cells), norm(x + self-attention),
/// norm(x + fc2(relu(fc1(x)))). Names: cross_attn, cross_attn_layer_norm, self_attn,
/// self_attn_layer_norm, fc1, fc2, final_layer_norm.
class MaskedLayer : public torch::nn::Module {
 public:
  explicit MaskedLayer(const MaskedLayerShape& shape);
  static void count(CostCounter& counter, const std::string& name, const MaskedLayerShape& shape,
                    std::int64_t queries, std::int64_t cells);

  /// Queries [B, Q, C] with positions [Q, C] that are added before they are compared; `seen`: as
  /// QueryInputs has it. `map`, if given, gets the cross-attention [B, heads, Q, T].
  at::Tensor forward(const at::Tensor& queries, const at::Tensor& positions,
                     const DecoderMemory& memory, const at::Tensor& seen,
                     at::Tensor* map = nullptr);

 private:
  std::shared_ptr<QueryAttention> m_cross, m_self;
  torch::nn::LayerNorm m_crossNorm{nullptr}, m_selfNorm{nullptr}, m_final{nullptr};
  torch::nn::Linear m_first{nullptr}, m_second{nullptr};
};

}  // namespace headlight
