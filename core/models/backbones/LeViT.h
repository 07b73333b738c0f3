// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// LeViT (Graham et al. 2021), in timm's names: a stem of four convolutions, stages of residual
// attention and MLP, an attention that halves the grid between stages, the mean of the patches, and
// one head or two. Castling-LeViT (You et al. 2023) is another layout of it.

#include <memory>
#include <string>
#include <vector>

#include "core/models/backbones/Model.h"
#include "core/models/layers/LevitAttention.h"
#include "core/models/layers/LevitParts.h"

namespace headlight {

/// `model.layout` of this backbone. Lists have one number, or one a stage (a transition).
struct LevitLayout {
  std::vector<int> keyWidths{16};
  double attentionRatio = 2.0;
  std::vector<int> downsampleKeyWidths;  ///< empty: of the stage that follows
  std::vector<int> downsampleHeads;      ///< empty: width before over key width
  double downsampleAttentionRatio = 4.0;
  double downsampleMlpRatio = 2.0;
  std::string queryPooling = "before";
  bool queryResidual = false;
  bool tokenPooling = false;
};

/// x + attn(x), then the same with the MLP: `attn`, `mlp`. No norms: they are in the maps.
class LevitBlock : public torch::nn::Module {
 public:
  LevitBlock(const std::string& mechanism, const LevitAttentionOptions& options, double mlpRatio,
             double dropPath);
  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap);
  Attention& attention() { return *m_attention; }

 private:
  double m_dropPath;
  std::shared_ptr<Attention> m_attention;
  std::shared_ptr<LevitMlp> m_mlp;
};

/// Into the next stage: `attn_downsample`, then x + mlp(x).
class LevitDownsample : public torch::nn::Module {
 public:
  LevitDownsample(const LevitDownsampleOptions& options, double mlpRatio, double dropPath);
  at::Tensor forward(const at::Tensor& tokens);

 private:
  double m_dropPath;
  std::shared_ptr<LevitDownsampleAttention> m_attention;
  std::shared_ptr<LevitMlp> m_mlp;
};

/// A distilled LeViT has two heads on the same features, no token. Downsampling attention belongs
/// to the first block of the stage it leads into; it is no layer, is never masked and gives no map.
class LeViT : public Model {
 public:
  static const ParameterTable& optionTable();
  LeViT(const ModelConfig& config, const MaskShape& masks);
  static ModelCost cost(const ModelConfig& config);

  Grid grid(int layer) const override { return m_blocks[layer].grid; }

  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionHook* tap) override;
  at::Tensor classify(const at::Tensor& tokens) override;
  ClassLogitsPair classifyBoth(const at::Tensor& tokens) override;
  Attention& attention(int layer) override { return m_blocks[layer].block->attention(); }

 private:
  struct Layer {
    std::shared_ptr<LevitBlock> block;
    std::shared_ptr<LevitDownsample> before;  ///< null inside a stage
    Grid grid;
  };

  void initialize();

  std::vector<std::shared_ptr<ConvNorm>> m_stem;
  std::vector<Layer> m_blocks;
  std::shared_ptr<NormLinear> m_head, m_headDistilled;  ///< the latter null without distillation
};

}  // namespace headlight
