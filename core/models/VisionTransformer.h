#pragma once
// ViT (Dosovitskiy et al. 2021) and its kin in timm's names: patch embedding, prefix tokens,
// position embedding, pre-norm blocks, final norm, pooling, one head, two or none. DeiT, DeiT III,
// DINO, DINOv2 with registers, CLIP, SigLIP, MAE, and under the names of timm's BEiT and EVA those,
// EVA-02 and DINOv3.

#include <vector>

#include "core/models/AttentionPool.h"
#include "core/models/Model.h"
#include "core/models/TransformerBlock.h"

namespace headlight {

struct VitLayout {
  bool mlpDropPath = true;       ///< off: stochastic depth drops the attention branch alone (IBiT)
  int mlpConvolution = 0;        ///< side of a depthwise convolution in the MLP (Castling); 0: none
  bool prefixPositions = true;   ///< off: no position embedding for prefix tokens (no_embed_class)
  bool normPre = false;          ///< a norm before the blocks, and patches without a bias (CLIP)
  bool cutRemainder = false;     ///< pixels right and below that fill no patch are left out
  std::string pooling = "auto";  ///< "auto": token where there is a class token, else mean
  bool poolNorm = false;         ///< the final norm comes after pooling (timm's fc_norm)
  std::string activation = "gelu";
  std::string mlp = "plain";
  std::string names = "vit";  ///< "beit": gamma_1, attn.q_bias, …
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
  at::Tensor pooledFeatures(const at::Tensor& tokens) override;
  Attention& attention(int layer) override { return m_blocks[layer]->attention(); }

 private:
  void makeTokens();
  void makeEnd();
  /// As they are where the norm comes after pooling.
  at::Tensor finalNorm(const at::Tensor& tokens);
  void initialise();

  VitLayout m_layout;
  at::Tensor m_classToken, m_distillationToken, m_registers, m_positions;  ///< may be undefined
  std::shared_ptr<PatchEmbedding> m_patches;
  std::vector<std::shared_ptr<TransformerBlock>> m_blocks;
  torch::nn::LayerNorm m_normPre{nullptr}, m_norm{nullptr}, m_poolNorm{nullptr};
  std::shared_ptr<AttentionPool> m_attentionPool;
  torch::nn::Linear m_head{nullptr}, m_headDistilled{nullptr};
};

}  // namespace headlight
