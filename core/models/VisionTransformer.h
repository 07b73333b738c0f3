#pragma once
// ViT (Dosovitskiy et al. 2021) and DeiT (Touvron et al. 2021a), in timm's names: patch embedding,
// prefix tokens, position embedding, pre-norm blocks, final norm, one head or two.

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <vector>

#include "core/attention/Attention.h"
#include "core/models/Model.h"

namespace headlight {

/// Two linear layers with GELU between: mlp.fc1, mlp.fc2.
class Mlp : public torch::nn::Module {
 public:
  Mlp(int width, int hidden);
  at::Tensor forward(const at::Tensor& tokens);

 private:
  torch::nn::Linear m_first{nullptr}, m_second{nullptr};
};

/// Multiplies by a learned vector `gamma` (CaiT's LayerScale).
class LayerScale : public torch::nn::Module {
 public:
  LayerScale(int width, double initial);
  at::Tensor forward(const at::Tensor& tokens) { return tokens * m_gamma; }

 private:
  at::Tensor m_gamma;
};

/// x + drop(scale(attention(norm(x)))), then the same with the MLP.
class TransformerBlock : public torch::nn::Module {
 public:
  TransformerBlock(const ModelConfig& config, int layer);
  at::Tensor forward(const at::Tensor& tokens, AttentionTap* tap);
  Attention& attention() { return *m_attention; }
  const Attention& attention() const { return *m_attention; }

 private:
  at::Tensor addBranch(const at::Tensor& tokens, at::Tensor branch,
                       const std::shared_ptr<LayerScale>& scale);

  double m_dropPath;
  torch::nn::LayerNorm m_norm1{nullptr}, m_norm2{nullptr};
  std::shared_ptr<Attention> m_attention;
  std::shared_ptr<Mlp> m_mlp;
  std::shared_ptr<LayerScale> m_scale1, m_scale2;  ///< null without LayerScale
};

class VisionTransformer : public Model {
 public:
  explicit VisionTransformer(const ModelConfig& config);

  const ModelConfig& config() const override { return m_config; }
  int layers() const override { return m_config.depth; }
  int heads(int) const override { return m_config.heads; }
  Grid grid(int) const override { return m_config.grid(); }

  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionTap* tap) override;
  at::Tensor classify(const at::Tensor& tokens) override;

  void setMasks(const MaskScheme& scheme) override;
  const MaskScheme& masks() const override { return m_masks; }
  std::vector<float> softAlphas(int layer) const override;
  std::string mapMeaning() const override;
  bool mapIsSigned() const override;

 private:
  void initialise();
  at::Tensor patchTokens(const at::Tensor& images) const;

  ModelConfig m_config;
  MaskScheme m_masks;
  at::Tensor m_classToken, m_distillationToken, m_positions;
  at::Tensor m_patchWeight, m_patchBias;  ///< patch_embed.proj: a convolution's [D, 3, p, p], [D]
  std::vector<std::shared_ptr<TransformerBlock>> m_blocks;
  torch::nn::LayerNorm m_norm{nullptr};
  torch::nn::Linear m_head{nullptr}, m_headDistilled{nullptr};
};

}  // namespace headlight
