// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// ConViT (d'Ascoli et al. 2021), in timm's names: ViT whose first blocks have gated positional
// attention between patches alone; the class token joins after them.

#include <vector>

#include "core/models/backbones/Model.h"
#include "core/models/layers/TransformerBlock.h"

namespace headlight {

struct ConvitLayout {
  int localLayers = 10;  ///< blocks before the class token joins
};

/// The config's mechanism in the local blocks, softmax attention in the others. At least the last
/// block is none of the local ones where there is a class token, which has to see the patches.
class ConViT : public Model {
 public:
  ConViT(const ModelConfig& config, const MaskShape& masks);
  static ModelCost cost(const ModelConfig& config);
  static const ParameterTable& optionTable();

  /// Without prefix token in the local blocks.
  Grid grid(int layer) const override;

  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionHook* tap) override;
  at::Tensor classify(const at::Tensor& tokens) override;
  Attention& attention(int layer) override { return m_blocks[layer]->attention(); }
  std::string mapMeaning() const override;

 private:
  void initialize();

  at::Tensor m_classToken, m_positions;  ///< [1, 1, D], [1, N, D]; undefined where there is none
  std::shared_ptr<PatchEmbedding> m_patches;
  std::vector<std::shared_ptr<TransformerBlock>> m_blocks;
  torch::nn::LayerNorm m_norm{nullptr};
  torch::nn::Linear m_head{nullptr};
};

}  // namespace headlight
