#pragma once
// ViT (Dosovitskiy et al. 2021) and DeiT (Touvron et al. 2021a), in timm's names: patch embedding,
// prefix tokens, position embedding, pre-norm blocks, final norm, one head or two.

#include <vector>

#include "core/models/Model.h"
#include "core/models/TransformerBlock.h"

namespace headlight {

struct VitLayout {
  bool mlpDropPath = true;  ///< off: stochastic depth drops the attention branch alone (IBiT)
  int mlpConvolution = 0;   ///< side of a depthwise convolution in the MLP (Castling); 0: none
};

class VisionTransformer : public Model {
 public:
  explicit VisionTransformer(const ModelConfig& config);
  static ModelCost cost(const ModelConfig& config);
  static const ParameterTable& optionTable();

  Grid grid(int) const override { return config().grid(); }

  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionTap* tap) override;
  at::Tensor classify(const at::Tensor& tokens) override;
  ClassLogitsPair classifyBoth(const at::Tensor& tokens) override;
  Attention& attention(int layer) override { return m_blocks[layer]->attention(); }

 private:
  void initialise();

  at::Tensor m_classToken, m_distillationToken, m_positions;  ///< undefined where there is none
  std::shared_ptr<PatchEmbedding> m_patches;
  std::vector<std::shared_ptr<TransformerBlock>> m_blocks;
  torch::nn::LayerNorm m_norm{nullptr};
  torch::nn::Linear m_head{nullptr}, m_headDistilled{nullptr};
};

}  // namespace headlight
