// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/PixelDecoder.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/models/segmentation/SegmenterParts.h"
#include "core/models/segmentation/SinePositions.h"

namespace headlight {
namespace {

constexpr int kLevels = 3;

Grid gridOfMap(const at::Tensor& map) {
  return {static_cast<int>(map.size(2)), static_cast<int>(map.size(3)), /*prefix=*/0};
}

/// [B, C, H, W] → [B, H·W, C].
at::Tensor cellsOfMap(const at::Tensor& map) {
  return map.flatten(2).transpose(1, 2);
}

/// [B, N, C] → [B, C, H, W] of each level.
std::vector<at::Tensor> mapsOfCells(const at::Tensor& cells, const LevelGrids& grids) {
  std::vector<at::Tensor> maps;
  std::int64_t start = 0;
  for (const Grid& grid : grids) {
    maps.push_back(cells.narrow(1, start, grid.patches())
                       .transpose(1, 2)
                       .reshape({cells.size(0), cells.size(2), grid.rows, grid.cols}));
    start += grid.patches();
  }
  return maps;
}

void countNormedConv(CostCounter& counter, const std::string& name, std::int64_t in,
                     std::int64_t width, int kernel, bool bias, std::int64_t positions) {
  counter.convolution(name + ".0", in, width, kernel, 1, bias, positions);
  counter.parameters(name + ".1", 2 * width);
}

}  // namespace

at::Tensor PixelDecoder::NormedConv::forward(const at::Tensor& maps) {
  return norm(inFloat32(conv(maps)));
}

PixelDecoder::NormedConv PixelDecoder::makeNormedConv(Holder& holder, int in, int kernel,
                                                      bool bias) const {
  return {holder.register_module("0", makeSegmenterConv(in, m_shape.width, kernel, bias)),
          holder.register_module("1", torch::nn::GroupNorm(torch::nn::GroupNormOptions(
                                          m_shape.groups, m_shape.width)))};
}

PixelDecoder::PixelDecoder(const PixelDecoderShape& shape) : m_shape(shape) {
  auto inputs = register_module("input_projections", std::make_shared<Holder>());
  for (int level = 0; level < kLevels; ++level)
    m_inputs.push_back(makeNormedConv(
        *inputs->register_module(std::to_string(level), std::make_shared<Holder>()), shape.in, 1,
        /*bias=*/true));
  m_levelEmbed = register_parameter("level_embed", at::randn({kLevels, shape.width}));
  auto layers = register_module("encoder", std::make_shared<Holder>())
                    ->register_module("layers", std::make_shared<Holder>());
  for (int i = 0; i < shape.layers; ++i)
    m_layers.push_back(layers->register_module(
        std::to_string(i), std::make_shared<DeformableLayer>(shape.attention(), shape.hidden)));
  m_lateral = makeNormedConv(*register_module("adapter_1", std::make_shared<Holder>()), shape.in, 1,
                             /*bias=*/false);
  m_smooth = makeNormedConv(*register_module("layer_1", std::make_shared<Holder>()), shape.width, 3,
                            /*bias=*/false);
  m_maskProjection = register_module("mask_projection",
                                     makeSegmenterConv(shape.width, shape.width, 1, /*bias=*/true));
}

void PixelDecoder::count(CostCounter& counter, const PixelDecoderShape& shape,
                         std::int64_t tokens) {
  const std::int64_t width = shape.width;
  const std::vector<std::int64_t> places{tokens / 4, tokens, 4 * tokens};
  for (int level = 0; level < kLevels; ++level)
    countNormedConv(counter, "input_projections." + std::to_string(level), shape.in, width, 1, true,
                    places[static_cast<std::size_t>(level)]);
  counter.parameters("level_embed", kLevels * width);
  const std::int64_t cells = places[0] + places[1] + places[2], finest = 16 * tokens;
  for (int i = 0; i < shape.layers; ++i)
    DeformableLayer::count(counter, "encoder.layers." + std::to_string(i), shape.attention(),
                           shape.hidden, cells);
  countNormedConv(counter, "adapter_1", shape.in, width, 1, false, finest);
  countNormedConv(counter, "layer_1", width, width, 3, false, finest);
  counter.convolution("mask_projection", width, width, 1, 1, true, finest);
}

/// [N, C]: sines, and what tells the levels apart.
at::Tensor PixelDecoder::positionsOf(const LevelGrids& grids,
                                     const at::TensorOptions& options) const {
  std::vector<at::Tensor> parts;
  for (std::size_t level = 0; level < grids.size(); ++level)
    parts.push_back(sinePositions(grids[level], m_shape.width, options) +
                    m_levelEmbed[static_cast<std::int64_t>(level)]);
  return at::cat(parts);
}

/// Stride 4 and, enlarged, stride 8.
at::Tensor PixelDecoder::joined(const at::Tensor& finest, const at::Tensor& encoded) {
  const at::Tensor lateral = m_lateral.forward(finest);
  const std::int64_t size[] = {lateral.size(2), lateral.size(3)};
  return lateral + at::upsample_bilinear2d(encoded, at::IntArrayRef(size, 2),
                                           /*align_corners=*/false);
}

PixelMaps PixelDecoder::forward(const std::vector<at::Tensor>& maps) {
  LevelGrids grids;
  std::vector<at::Tensor> entering;
  for (std::size_t level = 0; level < m_inputs.size(); ++level) {
    const at::Tensor& map = maps[maps.size() - 1 - level];
    grids.push_back(gridOfMap(map));
    entering.push_back(cellsOfMap(m_inputs[level].forward(map)));
  }
  at::Tensor cells = at::cat(entering, 1);
  const at::Tensor positions = positionsOf(grids, cells.options());
  for (const auto& layer : m_layers)
    cells = layer->forward(cells, positions, grids);
  PixelMaps result{mapsOfCells(cells, grids), {}};
  const at::Tensor smooth = at::relu(m_smooth.forward(joined(maps.front(), result.levels.back())));
  result.features = inFloat32(m_maskProjection(smooth));
  return result;
}

}  // namespace headlight
