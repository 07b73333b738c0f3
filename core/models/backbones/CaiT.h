// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CaiT (Touvron et al. 2021b), in timm's names: patch layers without a class token, then a few
// class-attention layers in which the class token alone changes. LayerScale in every block.

#include <vector>

#include "core/models/backbones/Model.h"
#include "core/models/layers/TransformerBlock.h"

namespace headlight {

/// norm1, attn, gamma_1, norm2, mlp, gamma_2: as TransformerBlock, but for the names of LayerScale.
class CaitBlock : public torch::nn::Module {
 public:
  CaitBlock(const BlockOptions& options, std::shared_ptr<Attention> attention);

  /// [B, T, D] → [B, T, D]. With class attention only the first token changes.
  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap);
  Attention& attention() { return *m_attention; }

 private:
  struct CaitJoint {
    BlockBranch part;
    const at::Tensor& gamma;
    AttentionHook* tap;
  };
  at::Tensor join(const at::Tensor& tokens, at::Tensor branch, const CaitJoint& joint);

  double m_dropPath;
  torch::nn::LayerNorm m_norm1{nullptr}, m_norm2{nullptr};
  std::shared_ptr<Attention> m_attention;
  std::shared_ptr<Mlp> m_mlp;
  at::Tensor m_gamma1, m_gamma2;  ///< [D]; undefined without LayerScale
};

/// `depth` patch layers of the config's mechanism, then `classDepth` class-attention layers, whose
/// token state has the class token in front.
class CaiT : public Model {
 public:
  CaiT(const ModelConfig& config, const MaskShape& masks);
  static ModelCost cost(const ModelConfig& config);

  /// Without prefix token in patch layers, with one in class layers.
  Grid grid(int layer) const override;

  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionHook* tap) override;
  at::Tensor classify(const at::Tensor& tokens) override;
  Attention& attention(int layer) override { return m_blocks[layer]->attention(); }
  std::string mapMeaning() const override;

 private:
  void initialize();

  at::Tensor m_classToken, m_positions;  ///< [1, 1, D], [1, N, D]; no positions: undefined
  std::shared_ptr<PatchEmbedding> m_patches;
  std::vector<std::shared_ptr<CaitBlock>> m_blocks;  ///< patch layers, then class layers
  torch::nn::LayerNorm m_norm{nullptr};
  torch::nn::Linear m_head{nullptr};
};

}  // namespace headlight
