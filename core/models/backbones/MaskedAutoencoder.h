// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// MAE (He et al. 2022): a ViT that sees a part of an image's patches and rebuilds the others. In the
// names of facebookresearch/mae, which are timm's for the encoder: cls_token, pos_embed, patch_embed,
// blocks, norm; decoder_embed, mask_token, decoder_pos_embed, decoder_blocks, decoder_norm,
// decoder_pred.

#include <torch/nn/modules/linear.h>

#include <memory>
#include <vector>

#include "core/models/backbones/Model.h"
#include "core/models/layers/TransformerBlock.h"

namespace headlight {

/// `model.layout` of this backbone.
struct AutoencoderLayout {
  double maskRatio = 0.75;  ///< share of the patches that are dropped in training
  int decoderWidth = 512;   ///< a multiple of decoderHeads, and of 4
  int decoderDepth = 8;
  int decoderHeads = 16;
  bool normalizedTargets = true;  ///< each patch is brought to mean 0 and variance 1
};

/// Positions are fixed sines (SinePositions.h), saved and not trained. embed(), block() and
/// classify() see every patch, so that maps are whole; rebuild() alone drops some. The decoder's
/// attention is softmax, whatever the encoder's mechanism.
class MaskedAutoencoder : public Model {
 public:
  static const ParameterTable& optionTable();
  MaskedAutoencoder(const ModelConfig& config, const MaskShape& masks);
  /// Of a training pass: the encoder's blocks over the kept tokens, the decoder over all.
  static ModelCost cost(const ModelConfig& config);

  const AutoencoderLayout& layout() const { return m_layout; }
  Grid grid(int) const override { return config().grid(); }

  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionHook* tap) override;
  at::Tensor classify(const at::Tensor& tokens) override;        ///< [B, 0]
  at::Tensor pooledFeatures(const at::Tensor& tokens) override;  ///< the class token's
  Attention& attention(int layer) override { return m_blocks[layer]->attention(); }

  /// [B, N, p·p·3], float32: what the decoder makes of every patch (PixelPatches.h; normalized where
  /// the targets are) from the patches `kept` [B, K], int64, rising in each row. Blocks attend over
  /// the class token and the kept patches in grid order; what runs over the grid sees 0 in place of
  /// the others, which receive nothing. A tap gets maps [B, H, 1 + K, 1 + K]. Throws
  /// Failure(InvalidConfig) while heads are masked: masks are of the whole grid.
  at::Tensor rebuild(const at::Tensor& images, const at::Tensor& kept,
                     AttentionHook* tap = nullptr);

 private:
  void makeEncoder();
  void makeDecoder();
  void initialize();
  void requireUnmasked() const;
  at::Tensor embeddedPatches(const at::Tensor& images);
  at::Tensor withClassToken(const at::Tensor& patches);
  at::Tensor decoded(const at::Tensor& tokens, const at::Tensor& kept);

  AutoencoderLayout m_layout;
  at::Tensor m_classToken, m_positions;        ///< [1, 1, D], [1, 1 + N, D]
  at::Tensor m_maskToken, m_decoderPositions;  ///< [1, 1, E], [1, 1 + N, E]
  at::Tensor m_kept;                           ///< of the last pass; undefined: all
  std::shared_ptr<PatchEmbedding> m_patches;
  std::vector<std::shared_ptr<TransformerBlock>> m_blocks, m_decoderBlocks;
  std::shared_ptr<TokenNorm> m_norm, m_decoderNorm;
  torch::nn::Linear m_decoderEmbed{nullptr}, m_decoderPredict{nullptr};
};

/// The model as what it is; throws Failure(InvalidConfig) for one without a decoder.
MaskedAutoencoder& autoencoderIn(Model& model);

}  // namespace headlight
