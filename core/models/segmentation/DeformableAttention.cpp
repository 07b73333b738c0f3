// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/DeformableAttention.h"

#include <ATen/ATen.h>
#include <torch/nn/init.h>

#include <algorithm>
#include <cmath>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {
namespace {

constexpr double kWholeCircle = 6.283185307179586;
constexpr int kReadMacs = 4, kWeighMacs = 1;

/// [rows·cols, 2] of one level.
at::Tensor centersOfLevel(const Grid& grid, const at::TensorOptions& options) {
  const auto along = [&](int cells) { return (at::arange(cells, options) + 0.5) / cells; };
  const at::Tensor x = along(grid.cols).unsqueeze(0).expand({grid.rows, grid.cols});
  const at::Tensor y = along(grid.rows).unsqueeze(1).expand({grid.rows, grid.cols});
  return at::stack({x.reshape(-1), y.reshape(-1)}, 1);
}

/// x and y each times a number of their own.
at::Tensor scaledPlaces(const at::Tensor& places, double x, double y) {
  return at::stack({places.select(-1, 0) * x, places.select(-1, 1) * y}, -1);
}

}  // namespace

std::int64_t cellCount(const LevelGrids& grids) {
  std::int64_t cells = 0;
  for (const Grid& grid : grids)
    cells += grid.patches();
  return cells;
}

at::Tensor levelCenters(const LevelGrids& grids, const at::TensorOptions& options) {
  std::vector<at::Tensor> parts;
  for (const Grid& grid : grids)
    parts.push_back(centersOfLevel(grid, options));
  return at::cat(parts);
}

DeformableAttention::DeformableAttention(const DeformableShape& shape) : m_shape(shape) {
  const auto linear = [&](const char* name, std::int64_t outputs) {
    return register_module(name, torch::nn::Linear(shape.width, outputs));
  };
  m_offsets = linear("sampling_offsets", 2 * shape.places());
  m_weights = linear("attention_weights", shape.places());
  m_values = linear("value_proj", shape.width);
  m_output = linear("output_proj", shape.width);
  initialize();
}

void DeformableAttention::initialize() {
  const at::NoGradGuard noGrad;
  m_offsets->weight.zero_();
  m_weights->weight.zero_();
  m_weights->bias.zero_();
  for (const torch::nn::Linear& linear : {m_values, m_output}) {
    torch::nn::init::xavier_uniform_(linear->weight);
    linear->bias.zero_();
  }
  const at::Tensor start = m_offsets->bias.view({m_shape.heads, m_shape.levels, m_shape.points, 2});
  for (int head = 0; head < m_shape.heads; ++head) {
    const double angle = kWholeCircle * head / m_shape.heads, x = std::cos(angle),
                 y = std::sin(angle), longer = std::max(std::abs(x), std::abs(y));
    for (int point = 0; point < m_shape.points; ++point) {
      const at::Tensor places = start.select(0, head).select(1, point);  // [levels, 2]
      places.select(1, 0).fill_((point + 1) * x / longer);
      places.select(1, 1).fill_((point + 1) * y / longer);
    }
  }
}

void DeformableAttention::count(CostCounter& counter, const std::string& name,
                                const DeformableShape& shape, std::int64_t cells) {
  counter.linear(name + ".sampling_offsets", shape.width, 2 * shape.places(), true, cells);
  counter.linear(name + ".attention_weights", shape.width, shape.places(), true, cells);
  counter.linear(name + ".value_proj", shape.width, shape.width, true, cells);
  counter.macs(name + ".sampling",
               cells * shape.places() * (shape.width / shape.heads) * (kReadMacs + kWeighMacs));
  counter.linear(name + ".output_proj", shape.width, shape.width, true, cells);
}

SampledPlaces DeformableAttention::placesOf(const at::Tensor& queries, const LevelGrids& grids) {
  const std::int64_t images = queries.size(0), cells = queries.size(1);
  const at::Tensor offsets =
      inFloat32(m_offsets(queries))
          .reshape({images, cells, m_shape.heads, m_shape.levels, m_shape.points, 2});
  const at::Tensor weights =
      inFloat32(m_weights(queries)).reshape({images, cells, m_shape.heads, -1}).softmax(-1);
  const at::Tensor centers = levelCenters(grids, offsets.options()).view({1, cells, 1, 1, 2});
  std::vector<at::Tensor> places;
  for (std::size_t l = 0; l < grids.size(); ++l)
    places.push_back(scaledPlaces(centers, grids[l].cols, grids[l].rows) +
                     offsets.select(3, static_cast<std::int64_t>(l)));
  return {at::stack(places, 3),
          weights.reshape({images, cells, m_shape.heads, m_shape.levels, m_shape.points})};
}

at::Tensor DeformableAttention::forward(const at::Tensor& queries, const at::Tensor& values,
                                        const LevelGrids& grids) {
  const at::Tensor heads =
      inFloat32(m_values(values)).reshape({values.size(0), values.size(1), m_shape.heads, -1});
  return inFloat32(m_output(sampledValues(heads, grids, placesOf(queries, grids))));
}

}  // namespace headlight
