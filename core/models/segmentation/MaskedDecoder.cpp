// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/MaskedDecoder.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/models/segmentation/SegmenterParts.h"
#include "core/models/segmentation/SinePositions.h"

namespace headlight {
namespace {

constexpr int kMemories = 3, kMaskLayers = 3;

Grid gridOfLevel(const at::Tensor& map) {
  return {static_cast<int>(map.size(2)), static_cast<int>(map.size(3)), /*prefix=*/0};
}

}  // namespace

at::Tensor seenWithin(const at::Tensor& masks, const Grid& grid) {
  const std::int64_t size[] = {grid.rows, grid.cols};
  const at::Tensor resized = at::upsample_bilinear2d(masks.detach(), at::IntArrayRef(size, 2),
                                                     /*align_corners=*/false);
  const at::Tensor seen = (resized >= 0).flatten(2);  // of logits: a probability of ½
  return seen.bitwise_or(seen.any(-1, /*keepdim=*/true).bitwise_not());
}

MaskedDecoder::MaskedDecoder(const DecoderShape& shape) {
  const int width = shape.width;
  m_features = register_parameter("queries_features", at::randn({shape.queries, width}));
  m_positions = register_parameter("queries_embedder", at::randn({shape.queries, width}));
  m_levelEmbed = register_parameter("level_embed", at::randn({kMemories, width}));
  auto layers = register_module("layers", std::make_shared<Holder>());
  for (int i = 0; i < shape.layers; ++i)
    m_layers.push_back(
        layers->register_module(std::to_string(i), std::make_shared<MaskedLayer>(shape.layer())));
  m_norm = register_module("layernorm", makeSegmenterNorm(width));
  m_classes = register_module("class_predictor", torch::nn::Linear(width, shape.classes + 1));
  auto masks = register_module("mask_embedder", std::make_shared<Holder>());
  for (int i = 0; i < kMaskLayers; ++i)
    m_masks.push_back(masks->register_module(std::to_string(i), torch::nn::Linear(width, width)));
}

void MaskedDecoder::count(CostCounter& counter, const DecoderShape& shape, std::int64_t tokens) {
  const std::int64_t width = shape.width, queries = shape.queries;
  const std::int64_t cells[] = {tokens / 4, tokens, 4 * tokens};
  const std::int64_t predictions = shape.layers + 1, said = predictions * queries;
  counter.parameters("queries_features", queries * width);
  counter.parameters("queries_embedder", queries * width);
  counter.parameters("level_embed", kMemories * width);
  for (int i = 0; i < shape.layers; ++i)
    MaskedLayer::count(counter, "layers." + std::to_string(i), shape.layer(), queries,
                       cells[i % kMemories]);
  counter.parameters("layernorm", 2 * width);
  counter.linear("class_predictor", width, shape.classes + 1, true, said);
  for (int i = 0; i < kMaskLayers; ++i)
    counter.linear("mask_embedder." + std::to_string(i), width, width, true, said);
  counter.macs("masks", said * width * 16 * tokens);
}

std::vector<DecoderMemory> MaskedDecoder::memoriesOf(const PixelMaps& maps) const {
  std::vector<DecoderMemory> memories;
  for (std::size_t level = 0; level < maps.levels.size(); ++level) {
    const at::Tensor cells = maps.levels[level].flatten(2).transpose(1, 2);
    memories.push_back({cells + m_levelEmbed[static_cast<std::int64_t>(level)],
                        sinePositions(gridOfLevel(maps.levels[level]),
                                      static_cast<int>(cells.size(2)), cells.options())});
  }
  return memories;
}

void MaskedDecoder::predict(const at::Tensor& queries, const at::Tensor& features,
                            SegmentScores& scores) {
  const at::Tensor normed = m_norm(queries);
  scores.classes.push_back(inFloat32(m_classes(normed)));
  at::Tensor embedded = m_masks[0](normed);
  for (std::size_t i = 1; i < m_masks.size(); ++i)
    embedded = m_masks[i](at::relu(embedded));
  const at::Tensor masks = inFloat32(at::matmul(inFloat32(embedded), features.flatten(2)));
  scores.masks.push_back(
      masks.reshape({masks.size(0), masks.size(1), features.size(2), features.size(3)}));
}

SegmentScores MaskedDecoder::forward(const PixelMaps& maps, DecoderMaps* record) {
  const std::vector<DecoderMemory> memories = memoriesOf(maps);
  SegmentScores scores;
  at::Tensor queries = m_features.unsqueeze(0).expand({maps.features.size(0), -1, -1});
  predict(queries, maps.features, scores);
  for (std::size_t i = 0; i < m_layers.size(); ++i) {
    const std::size_t level = i % memories.size();
    const Grid grid = gridOfLevel(maps.levels[level]);
    at::Tensor map;
    queries = m_layers[i]->forward(queries, m_positions, memories[level],
                                   seenWithin(scores.masks.back(), grid), record ? &map : nullptr);
    if (record) {
      record->cross.push_back(record->meanOfHeads ? map.mean(1, /*keepdim=*/true) : map);
      record->grids.push_back(grid);
    }
    predict(queries, maps.features, scores);
  }
  return scores;
}

}  // namespace headlight
