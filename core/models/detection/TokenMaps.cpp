// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/detection/TokenMaps.h"

#include <ATen/ATen.h>

namespace headlight {
namespace {

/// Squares in a row.
std::int64_t squaresAcross(const at::Tensor& tensor, const PackedMaps& shapes) {
  std::int64_t numbers = 0;
  for (const PackedMap& shape : shapes)
    numbers += shape.numbers();
  TORCH_CHECK(tensor.dim() == 3 && tensor.size(2) % numbers == 0, "maps of a detector with ",
              numbers, " numbers a square, not ", tensor.sizes());
  return tensor.size(2) / numbers;
}

Grid gridOf(const at::Tensor& tensor, std::int64_t across, const PackedMap& shape) {
  return {static_cast<int>(tensor.size(1)) * shape.perSide(),
          static_cast<int>(across) * shape.perSide(), /*prefix=*/0};
}

}  // namespace

at::Tensor tokensOfMap(const at::Tensor& map) {
  return map.flatten(2).transpose(1, 2).contiguous();
}

at::Tensor mapOfTokens(const at::Tensor& tokens, const Grid& grid) {
  return tokens.transpose(1, 2).contiguous().view(
      {tokens.size(0), tokens.size(2), grid.rows, grid.cols});
}

at::Tensor packed(const std::vector<at::Tensor>& maps, const PackedMaps& shapes) {
  std::vector<at::Tensor> parts;
  for (std::size_t i = 0; i < maps.size(); ++i)
    parts.push_back(
        tokensOfMap(maps[i]).reshape({maps[i].size(0), maps[i].size(2) / shapes[i].perSide(), -1}));
  return at::cat(parts, 2);
}

std::vector<at::Tensor> unpacked(const at::Tensor& tensor, const PackedMaps& shapes) {
  const std::int64_t across = squaresAcross(tensor, shapes);
  std::vector<at::Tensor> maps;
  std::int64_t start = 0;
  for (const PackedMap& shape : shapes) {
    const at::Tensor part = tensor.narrow(2, start, shape.numbers() * across);
    maps.push_back(mapOfTokens(part.reshape({tensor.size(0), -1, shape.channels}),
                               gridOf(tensor, across, shape)));
    start += shape.numbers() * across;
  }
  return maps;
}

at::Tensor packedTokens(const at::Tensor& tensor, const PackedMaps& shapes) {
  const PackedMap& first = shapes.front();
  return tensor.narrow(2, 0, first.numbers() * squaresAcross(tensor, shapes))
      .reshape({tensor.size(0), -1, first.channels});
}

}  // namespace headlight
