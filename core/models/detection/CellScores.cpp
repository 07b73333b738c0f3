// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/detection/CellScores.h"

#include <ATen/ATen.h>

namespace headlight {
namespace {

at::Tensor overLevels(const CellLevels& levels, at::Tensor (*ofLevel)(const CellLevel& level)) {
  std::vector<at::Tensor> parts;
  for (const CellLevel& level : levels)
    parts.push_back(ofLevel(level));
  return at::cat(parts);
}

at::Tensor centersOf(const CellLevel& level) {
  const auto along = [&](std::int64_t cells) {
    return (at::arange(cells, at::kFloat) + 0.5) * static_cast<double>(level.stride);
  };
  const auto grid = at::meshgrid({along(level.height), along(level.width)}, "ij");
  return at::stack({grid[1].flatten(), grid[0].flatten()}, 1);
}

at::Tensor stridesOf(const CellLevel& level) {
  return at::full({level.cells()}, static_cast<double>(level.stride), at::kFloat);
}

}  // namespace

at::Tensor cellCenters(const CellLevels& levels, at::Device device) {
  return overLevels(levels, centersOf).to(device);
}

at::Tensor cellStrides(const CellLevels& levels, at::Device device) {
  return overLevels(levels, stridesOf).to(device);
}

at::Tensor sideDistances(const at::Tensor& sides) {
  return sides.softmax(-1).matmul(at::arange(sides.size(-1), sides.options()));
}

at::Tensor cellBoxes(const CellScores& scores) {
  const at::Device device = scores.sides.device();
  const at::Tensor centers = cellCenters(scores.levels, device);
  const at::Tensor distances =
      sideDistances(scores.sides) * cellStrides(scores.levels, device).unsqueeze(-1);
  return at::cat({centers - distances.narrow(-1, 0, 2), centers + distances.narrow(-1, 2, 2)}, -1);
}

}  // namespace headlight
