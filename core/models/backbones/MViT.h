// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// MViTv2 (Li et al. 2022), in timm's names: stages of pooling attention in which the first block of
// a stage halves the grid and widens the tokens. With the mechanism linear_angular: Castling-MViTv2
// (You et al. 2023). Its Eq. 9 gives each query a share of its own value, and so needs as many
// values as queries: blocks that pool queries, those that lead a stage, keep the softmax. That is
// the reading which meets the paper's parameters and multiply-accumulates; the other is an option.

#include <vector>

#include "core/attention/linear/PoolingAttention.h"
#include "core/models/backbones/Model.h"
#include "core/models/layers/TransformerBlock.h"

namespace headlight {

struct MvitOptions {
  int keyStride = 4;
  bool residualPooling = true;
  bool linearLeading = false;
};

/// norm1, attn, norm2, mlp; where the width grows the shortcut goes through shortcut_proj_attn,
/// where the grid shrinks through a 3 × 3 maximum.
class MvitBlock : public torch::nn::Module {
 public:
  MvitBlock(const BlockOptions& options, const PoolingOptions& pooling);
  static void count(CostCounter& counter, const std::string& prefix, const BlockOptions& options,
                    const PoolingOptions& pooling);

  /// [B, T, D'] → [B, Tq, D].
  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap);
  Attention& attention() { return *m_attention; }

 private:
  at::Tensor shortcut(const at::Tensor& tokens, const at::Tensor& normed);
  at::Tensor join(const at::Tensor& tokens, at::Tensor branch) const;

  double m_dropPath;
  int m_stride;
  Grid m_grid;  ///< of the tokens that come in
  torch::nn::LayerNorm m_norm1{nullptr}, m_norm2{nullptr};
  torch::nn::Linear m_widen{nullptr};  ///< null where the width stays
  std::shared_ptr<Attention> m_attention;
  std::shared_ptr<Mlp> m_mlp;
};

/// No class token: patches are averaged after the last norm. Attention is widened with the stage
/// (timm's expand_attn).
class MViT : public Model {
 public:
  MViT(const ModelConfig& config, const MaskShape& masks);
  static ModelCost cost(const ModelConfig& config);
  static const ParameterTable& optionTable();
  /// Where the keys of a layer's attention lie, which are pooled.
  static Grid keyGrid(const ModelConfig& config, int layer);

  /// Where a layer's queries lie.
  Grid grid(int layer) const override;

  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionHook* tap) override;
  at::Tensor classify(const at::Tensor& tokens) override;
  Attention& attention(int layer) override { return m_blocks[layer]->attention(); }
  std::string mapMeaning() const override;

 private:
  void initialize();

  torch::nn::Conv2d m_patches{nullptr};
  at::Tensor m_positions;  ///< [1, N, D]; undefined without absolute positions (the paper's way)
  std::vector<std::shared_ptr<MvitBlock>> m_blocks;
  torch::nn::LayerNorm m_norm{nullptr};
  torch::nn::Linear m_head{nullptr};
};

}  // namespace headlight
