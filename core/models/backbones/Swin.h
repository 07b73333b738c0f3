// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Swin (Liu et al. 2021) in timm's names, and the models that keep its stages: H-MaiT (masked
// attention over the whole grid of a stage, MaiT §5.4) and ViT-LSLA (Hechen et al. 2022).

#include <vector>

#include "core/models/backbones/Model.h"
#include "core/models/layers/SwinParts.h"
#include "core/models/layers/TransformerBlock.h"

namespace headlight {

/// patch_embed, pos_embed (positions = learned), layers.S.downsample (S > 0), layers.S.blocks.B,
/// norm, head.fc. Layers count through all stages.
class Swin : public Model {
 public:
  Swin(const ModelConfig& config, const MaskShape& masks);
  static const ParameterTable& optionTable();
  static ModelCost cost(const ModelConfig& config);

  Grid grid(int layer) const override { return m_layers[layer].grid; }

  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionHook* tap) override;
  at::Tensor classify(const at::Tensor& tokens) override;
  at::Tensor pooledFeatures(const at::Tensor& tokens) override;
  Attention& attention(int layer) override { return m_layers[layer].block->attention(); }

 private:
  struct Layer {
    Grid grid;
    std::shared_ptr<Merging> merging;  ///< of the first block of a later stage; else null
    std::shared_ptr<TransformerBlock> block;
  };

  at::Tensor m_positions;  ///< [1, N, D]; undefined where there is none
  std::shared_ptr<Stem> m_stem;
  std::vector<Layer> m_layers;
  torch::nn::LayerNorm m_norm{nullptr};
  torch::nn::Linear m_head{nullptr};  ///< null without classes
};

}  // namespace headlight
