// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The segmenter of Castling-ViT (You et al. 2023, Table 4): a plain ViT, maps of four strides from
// its last one, and Mask2Former's decoders (Cheng et al. 2022).

#include <memory>

#include "core/models/backbones/Model.h"
#include "core/models/segmentation/MaskedDecoder.h"
#include "core/models/segmentation/SegmenterNeck.h"
#include "core/models/segmentation/SegmenterTrunk.h"

namespace headlight {

/// `model.layout` of this backbone.
struct SegmenterLayout {
  int queries = 100;
  int width = 256;  ///< C of both decoders; a multiple of 4, of heads and of groups
  int heads = 8;
  int groups = 32;
  int encoderLayers = 6;
  int encoderHidden = 1024;
  int decoderLayers = 9;
  int decoderHidden = 2048;
  int positionGrid = 14;  ///< side of the square of learned positions; 0: the config's own grid
};

/// Tokens between blocks are [B, rows, cols·D]: their shape says which grid they lie on, and
/// gridTokens() are the same numbers as [B, T, D]. Images have any sides that are multiples of two patches,
/// not only the config's, as far as masks and the attention take them. Names: backbone (timm's ViT),
/// neck, pixel_decoder, decoder.
class Segmenter : public Model {
 public:
  static const ParameterTable& optionTable();
  /// Throws Failure(InvalidConfig) for sides that are not multiples of two patches and for a width that
  /// heads or groups do not divide.
  Segmenter(const ModelConfig& config, const MaskShape& masks);
  static ModelCost cost(const ModelConfig& config);

  /// Of the images that were embedded last; before, the config's.
  Grid grid(int) const override { return m_grid; }
  Grid gridOf(int layer, const at::Tensor& tokens) const override;
  Grid positionGrid() const override;

  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionHook* tap) override;
  at::Tensor gridTokens(int blocks, const at::Tensor& tokens) const override;
  /// greatestScores() of the last prediction, [B, K]: over pixels at stride 4.
  at::Tensor classify(const at::Tensor& tokens) override;
  SegmentScores findSegments(const at::Tensor& tokens) override;
  /// The same; `maps`, if given, gets where the queries looked.
  SegmentScores findSegments(const at::Tensor& tokens, DecoderMaps* maps);
  Attention& attention(int layer) override { return m_trunk->block(layer).attention(); }

 private:
  Grid m_grid;
  std::shared_ptr<SegmenterTrunk> m_trunk;
  std::shared_ptr<SegmenterNeck> m_neck;
  std::shared_ptr<PixelDecoder> m_pixelDecoder;
  std::shared_ptr<MaskedDecoder> m_decoder;
};

}  // namespace headlight
