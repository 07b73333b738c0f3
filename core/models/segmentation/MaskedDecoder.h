// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mask2Former's transformer decoder (Cheng et al. 2022): queries look at maps of three strides in
// turn, each within the mask that it found last. Internal to core/models, but for DecoderMaps.

#include <memory>
#include <vector>

#include "core/attention/base/UndecayedParameters.h"
#include "core/models/segmentation/MaskedLayer.h"
#include "core/models/segmentation/PixelDecoder.h"
#include "core/models/segmentation/SegmentScores.h"

namespace headlight {

/// Where the queries looked, layer by layer.
struct DecoderMaps {
  std::vector<at::Tensor> cross;  ///< each [B, heads, Q, T]: masked cross-attention, detached
  std::vector<Grid> grids;        ///< of the T cells, no prefix
  bool meanOfHeads = false;       ///< asks for [B, 1, Q, T]: maps of all heads need much memory
};

struct DecoderShape {
  int width = 256;  ///< C
  int heads = 8;
  int queries = 100;
  int layers = 9;
  int hidden = 2048;  ///< of the layers' MLPs
  int classes = 150;  ///< K, without "none"

  MaskedLayerShape layer() const { return {width, heads, hidden}; }
};

/// Layer l looks at level l mod 3, the coarsest first. A query sees the cells where its last mask,
/// resized bilinearly to the level, has a probability of at least ½, or all cells where there are
/// none; no gradient passes through that. Before the first layer and after each, a norm is followed
/// by class logits and by an MLP of three layers whose product with E is the mask. Names:
/// queries_features and queries_embedder [Q, C] (values and positions of queries), level_embed
/// [3, C], layers.I, layernorm, class_predictor, mask_embedder.{0,1,2}.
class MaskedDecoder : public torch::nn::Module, public UndecayedParameters {
 public:
  explicit MaskedDecoder(const DecoderShape& shape);
  /// `tokens`: places of the map of stride 16.
  static void count(CostCounter& counter, const DecoderShape& shape, std::int64_t tokens);

  /// layers + 1 predictions. `record`, if given, gets a map of every layer.
  SegmentScores forward(const PixelMaps& maps, DecoderMaps* record = nullptr);

 private:
  std::vector<DecoderMemory> memoriesOf(const PixelMaps& maps) const;
  /// Adds what the queries [B, Q, C] say now.
  void predict(const at::Tensor& queries, const at::Tensor& features, SegmentScores& scores);

  at::Tensor m_features, m_positions, m_levelEmbed;
  std::vector<std::shared_ptr<MaskedLayer>> m_layers;
  torch::nn::LayerNorm m_norm{nullptr};
  torch::nn::Linear m_classes{nullptr};
  std::vector<torch::nn::Linear> m_masks;
};

/// [B, Q, rows·cols] bool: where each of the masks [B, Q, H, W] (logits) lets its query look.
at::Tensor seenWithin(const at::Tensor& masks, const Grid& grid);

}  // namespace headlight
