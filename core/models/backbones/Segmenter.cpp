// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/Segmenter.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/Translation.h"
#include "core/models/segmentation/PixelScores.h"

namespace headlight {
namespace {

constexpr int kPublishedPatch = 16;
constexpr int kSineParts = 4;  // sines and cosines of two axes

[[noreturn]] void refuseSegmenter(const std::string& where, const std::string& why) {
  throw Failure({ErrorCode::InvalidConfig, why, "model." + where});
}

/// Of the maps, whose strides are patch / 4 to 2 · patch: 4 to 32 as published.
int coarsestStride(const ModelConfig& config) {
  return 2 * config.patchSize;
}

void requirePatch(int patch) {
  if (patch % 4 != 0 || patch > kPublishedPatch || kPublishedPatch % patch != 0)
    refuseSegmenter("patch_size",
                    tr("a segmenter's maps have strides from a quarter of a patch to two patches: "
                       "patches are 16, 8 or 4 pixels, not ") +
                        std::to_string(patch));
}

void requireEvenGrid(const ModelConfig& config) {
  const int stride = coarsestStride(config);
  for (const auto& [key, pixels] : {std::pair{"image_size", config.imageHeightPixels()},
                                    std::pair{"image_width", config.imageWidthPixels()}})
    if (pixels % stride != 0)
      refuseSegmenter(key, tr("a segmenter takes images whose sides are multiples of ") +
                               std::to_string(stride) + tr(" pixels, not ") +
                               std::to_string(pixels) + tr("; use ") +
                               std::to_string((pixels / stride + 1) * stride));
}

SegmenterLayout segmenterLayoutOf(const ModelConfig& config) {
  SegmenterLayout layout;
  valueOrThrow(readParameters(Segmenter::optionTable(), config.layout, &layout, "model.layout"));
  for (const auto& [key, divisor] :
       {std::pair{"heads", layout.heads}, std::pair{"groups", layout.groups},
        std::pair{"width", kSineParts}})
    if (layout.width % divisor != 0)
      refuseSegmenter(std::string("layout.") + key,
                      tr("the width of the decoders, ") + std::to_string(layout.width) +
                          tr(", must be a multiple of ") + std::to_string(divisor));
  requirePatch(config.patchSize);
  requireEvenGrid(config);
  return layout;
}

BlockOptions segmenterBlockOf(const ModelConfig& config, int layer) {
  return {.mechanism = config.mechanism,
          .attention = {.layer = layer,
                        .layerInStage = layer,
                        .width = config.width,
                        .heads = config.heads,
                        .qkvBias = config.qkvBias,
                        .normEpsilon = config.normEpsilon,
                        .grid = config.grid(),
                        .options = config.attention},
          .mlpRatio = config.mlpRatio,
          .layerScale = config.layerScale,
          .dropPath = dropPathRate(config, layer, config.depth),
          .normEpsilon = config.normEpsilon};
}

SegmenterTrunkShape segmenterTrunkOf(const ModelConfig& config) {
  const int side = segmenterLayoutOf(config).positionGrid;
  SegmenterTrunkShape shape{.width = config.width,
                            .patch = config.patchSize,
                            .normEpsilon = config.normEpsilon,
                            .positions = side > 0 ? Grid{side, side, 0} : config.grid(),
                            .blocks = {}};
  for (int l = 0; l < config.depth; ++l)
    shape.blocks.push_back(segmenterBlockOf(config, l));
  return shape;
}

PixelDecoderShape pixelDecoderOf(const ModelConfig& config) {
  const SegmenterLayout layout = segmenterLayoutOf(config);
  return {.in = config.width,
          .width = layout.width,
          .heads = layout.heads,
          .groups = layout.groups,
          .layers = layout.encoderLayers,
          .hidden = layout.encoderHidden};
}

DecoderShape maskedDecoderOf(const ModelConfig& config) {
  const SegmenterLayout layout = segmenterLayoutOf(config);
  return {.width = layout.width,
          .heads = layout.heads,
          .queries = layout.queries,
          .layers = layout.decoderLayers,
          .hidden = layout.decoderHidden,
          .classes = config.classes};
}

void checkSegmenterImages(const at::Tensor& images, int stride) {
  TORCH_CHECK(images.dim() == 4 && images.size(1) == 3 && images.size(2) % stride == 0 &&
                  images.size(3) % stride == 0,
              "a segmenter takes images of [B, 3, H, W], H and W multiples of ", stride, ", not ",
              images.sizes());
}

/// Of tokens [B, rows, cols·D].
Grid gridOfRows(const at::Tensor& tokens, int width) {
  return {static_cast<int>(tokens.size(1)), static_cast<int>(tokens.size(2)) / width,
          /*prefix=*/0};
}

/// [B, rows, cols·D] → [B, T, D].
at::Tensor tokensOfRows(const at::Tensor& rows, int width) {
  return rows.reshape({rows.size(0), -1, width});
}

/// [B, T, D] → [B, rows, cols·D].
at::Tensor rowsOfTokens(const at::Tensor& tokens, std::int64_t rows) {
  return tokens.reshape({tokens.size(0), rows, -1});
}

}  // namespace

const ParameterTable& Segmenter::optionTable() {
  using L = SegmenterLayout;
  static const ParameterTable table =
      TableBuilder<L>()
          .integer(&L::queries, "queries", 1, 1000,
                   "Queries of the decoder: as many masks as an image can have.")
          .integer(&L::width, "width", 4, 4096,
                   "Width of the pixel decoder and of the decoder; a multiple of 4, heads and "
                   "groups.")
          .integer(&L::heads, "heads", 1, 256, "Heads of the decoders' attention.")
          .integer(&L::groups, "groups", 1, 1024, "Groups of the pixel decoder's group norms.")
          .integer(&L::encoderLayers, "encoder_layers", 1, 64,
                   "Layers of deformable attention in the pixel decoder.")
          .integer(&L::encoderHidden, "encoder_hidden", 1, 65536,
                   "Hidden width of the MLPs in the pixel decoder.")
          .integer(&L::decoderLayers, "decoder_layers", 1, 64,
                   "Layers of masked attention in the decoder.")
          .integer(&L::decoderHidden, "decoder_hidden", 1, 65536,
                   "Hidden width of the MLPs in the decoder.")
          .integer(&L::positionGrid, "position_grid", 0, 256,
                   "Side of the square grid of learned positions, which are resized to the grid of "
                   "each image: 14 as in pre-training on 224 pixels; 0: the grid of image_size.")
          .build();
  return table;
}

Segmenter::Segmenter(const ModelConfig& config, const MaskShape& masks)
    : Model(config, masks), m_grid(config.grid()) {
  m_trunk = register_module("backbone", std::make_shared<SegmenterTrunk>(segmenterTrunkOf(config)));
  m_trunk->initialize();
  m_neck = register_module("neck", std::make_shared<SegmenterNeck>(config.width));
  m_pixelDecoder =
      register_module("pixel_decoder", std::make_shared<PixelDecoder>(pixelDecoderOf(config)));
  m_decoder = register_module("decoder", std::make_shared<MaskedDecoder>(maskedDecoderOf(config)));
}

ModelCost Segmenter::cost(const ModelConfig& config) {
  const SegmenterTrunkShape trunk = segmenterTrunkOf(config);
  const std::int64_t patches = config.grid().patches();
  CostCounter counter;
  SegmenterTrunk::count(counter, trunk, patches);
  counter.enter("neck.");
  SegmenterNeck::count(counter, config.width, patches);
  counter.enter("pixel_decoder.");
  PixelDecoder::count(counter, pixelDecoderOf(config), patches);
  counter.enter("decoder.");
  MaskedDecoder::count(counter, maskedDecoderOf(config), patches);
  return counter.cost();
}

Grid Segmenter::positionGrid() const {
  return segmenterTrunkOf(config()).positions;
}

at::Tensor Segmenter::embed(const at::Tensor& images) {
  checkSegmenterImages(images, coarsestStride(config()));
  at::Tensor rows = rowsOfTokens(m_trunk->embed(images), images.size(2) / config().patchSize);
  m_grid = gridOfRows(rows, config().width);
  return rows;
}

Grid Segmenter::gridOf(int /*layer*/, const at::Tensor& tokens) const {
  return gridOfRows(tokens, config().width);
}

at::Tensor Segmenter::block(int layer, const at::Tensor& tokens, AttentionHook* tap) {
  TransformerBlock& block = m_trunk->block(layer);
  block.setGrid(gridOfRows(tokens, config().width));
  return rowsOfTokens(block.forward(tokensOfRows(tokens, config().width), tap), tokens.size(1));
}

at::Tensor Segmenter::gridTokens(int /*blocks*/, const at::Tensor& tokens) const {
  return tokensOfRows(tokens, config().width);
}

SegmentScores Segmenter::findSegments(const at::Tensor& tokens) {
  return findSegments(tokens, nullptr);
}

SegmentScores Segmenter::findSegments(const at::Tensor& tokens, DecoderMaps* maps) {
  const Grid grid = gridOfRows(tokens, config().width);
  const at::Tensor normed = m_trunk->norm(tokensOfRows(tokens, config().width));
  const at::Tensor map =
      normed.transpose(1, 2).reshape({tokens.size(0), config().width, grid.rows, grid.cols});
  std::vector<at::Tensor> strides = m_neck->forward(map);
  // Which cells a query may see hangs on a mask's logit being above 0: in 16 bits others would be
  // seen. Mask2Former's own decoder of pixels is computed in float32, too.
  const Float32Scope exact;
  for (at::Tensor& stride : strides)
    stride = inFloat32(stride);
  return m_decoder->forward(m_pixelDecoder->forward(strides), maps);
}

at::Tensor Segmenter::classify(const at::Tensor& tokens) {
  const SegmentScores scores = findSegments(tokens);
  return greatestScores(scores.classes.back(), scores.masks.back());
}

}  // namespace headlight
