// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// ViT (Dosovitskiy et al. 2021) and its kin in timm's names: patch embedding, prefix tokens,
// position embedding, pre-norm blocks, final norm, pooling, one head, two or none. DeiT, DeiT III,
// DINO, DINOv2 with registers, CLIP, SigLIP, MAE, InternViT, AIMv2, and under the names of timm's
// BEiT and EVA those, EVA-02, DINOv3, Perception Encoder and RoPE-ViT.

#include <vector>

#include "core/attention/base/RotaryPositions.h"
#include "core/models/backbones/Model.h"
#include "core/models/layers/AttentionPool.h"
#include "core/models/layers/TransformerBlock.h"

namespace headlight {

struct VitLayout {
  bool mlpDropPath = true;      ///< off: stochastic depth drops the attention branch alone (IBiT)
  int mlpConvolution = 0;       ///< side of a depthwise convolution in the MLP (Castling); 0: none
  bool prefixPositions = true;  ///< off: no position embedding for prefix tokens (no_embed_class)
  bool normPre = false;         ///< a norm before the blocks, and patches without a bias (CLIP)
  bool cutRemainder = false;    ///< pixels right and below that fill no patch are left out
  /// "auto": token where there is a class token, else mean; "token_mean": both, side by side
  std::string pooling = "auto";
  int preLogits = 0;  ///< width of a layer with tanh before the head; 0: none
  /// The head reads features of length 1, and the layer before it has neither tanh nor bias: its
  /// rows are the embeddings of prompts (CLIP, SigLIP).
  bool cosine = false;
  /// What makes probabilities of logits: "softmax" over all, or "sigmoid" of each alone.
  std::string scores = "softmax";
  bool poolNorm = false;       ///< the final norm comes after pooling (timm's fc_norm)
  std::string norm = "layer";  ///< "rms": RMSNorm everywhere
  bool patchNorm = false;      ///< a norm of each patch before its position is added (AIMv2)
  bool branchBias = true;      ///< off: none in the MLP and after the heads (AIMv2)
  bool finalNorm = true;       ///< off: neither there nor before pooling
  bool postNorm = false;       ///< norms after attention and MLP, within the residual
  int poolHeads = 0;           ///< of pooling by attention; 0: as many as in a block
  double poolRatio = 0;        ///< of its MLP; 0: as in a block
  bool poolPrefix = false;     ///< it looks at class and register tokens too
  bool midPositions = false;   ///< positions are added again after every block but the last (YOLOS)
  int objectClasses =
      0;  ///< of what registers find, with "no object" (YOLOS); 0: they find nothing
  /// How position embeddings are resized for another image: "antialiased", "bicubic", "bilinear".
  std::string positionFilter = "antialiased";
  std::string activation = "gelu";
  std::string mlp = "plain";
  std::string names = "vit";  ///< "beit": gamma_1, attn.q_bias, …; "eva": gamma_1, attn.qkv.bias
};

class VisionTransformer : public Model {
 public:
  VisionTransformer(const ModelConfig& config, const MaskShape& masks);
  static ModelCost cost(const ModelConfig& config);
  static const ParameterTable& optionTable();

  Grid grid(int) const override { return config().grid(); }

  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionHook* tap) override;
  at::Tensor classify(const at::Tensor& tokens) override;
  ClassLogitsPair classifyBoth(const at::Tensor& tokens) override;
  at::Tensor pooledFeatures(const at::Tensor& tokens) override;
  ObjectScores findObjects(const at::Tensor& tokens) override;
  Attention& attention(int layer) override { return m_blocks[layer]->attention(); }
  TransformerBlock& blockAt(int layer) { return *m_blocks[layer]; }

 private:
  std::shared_ptr<TokenNorm> makeTokenNorm() const;
  void makeTokens();
  void makeBlocks();
  void makeEnd();
  /// [B, D] → what the head multiplies.
  at::Tensor headInput(const at::Tensor& pooled);
  /// As they are where the norm comes after pooling, or not at all.
  at::Tensor finalNorm(const at::Tensor& tokens);
  static at::Tensor tokenAndMean(const at::Tensor& normed, int prefix);
  void initialize();

  VitLayout m_layout;
  at::Tensor m_classToken, m_distillationToken, m_registers, m_positions;  ///< may be undefined
  at::Tensor m_midPositions;  ///< [L − 1, 1, T, D]; undefined without
  std::shared_ptr<PatchEmbedding> m_patches;
  std::vector<std::shared_ptr<TransformerBlock>> m_blocks;
  std::shared_ptr<RotaryFrequencies> m_frequencies;  ///< null without mixed rotary positions
  std::shared_ptr<TokenNorm> m_patchNorm, m_normPre, m_norm, m_poolNorm;  ///< may be null
  std::shared_ptr<AttentionPool> m_attentionPool;
  std::shared_ptr<ObjectHead> m_objectHead;  ///< may be null
  torch::nn::Linear m_preLogits{nullptr}, m_head{nullptr}, m_headDistilled{nullptr};
};

}  // namespace headlight
