// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Maps of several strides as one tensor, so that what the neck of a detector needs passes through
// its transformer blocks and a block can be computed again from what entered it. The tensor's shape
// says how large the maps are. Internal to core/models.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

/// Pixels on each side of the squares that maps are cut by: images are multiples of it.
constexpr int kPackedSide = 32;

struct PackedMap {
  int channels;
  int stride;  ///< divides kPackedSide

  int perSide() const { return kPackedSide / stride; }  ///< places of a square
  /// Numbers of a square.
  std::int64_t numbers() const { return std::int64_t{perSide()} * perSide() * channels; }
};
using PackedMaps = std::vector<PackedMap>;

/// Maps [B, C, H, W] → [B, R, N]: R rows of squares; of each the maps one after the other, each row
/// by row with its channels last.
at::Tensor packed(const std::vector<at::Tensor>& maps, const PackedMaps& shapes);
/// Back again, [B, C, H, W].
std::vector<at::Tensor> unpacked(const at::Tensor& tensor, const PackedMaps& shapes);

/// The first of the maps as tokens, [B, T, C], row by row.
at::Tensor packedTokens(const at::Tensor& tensor, const PackedMaps& shapes);

/// [B, C, H, W] as tokens [B, H·W, C], and back again.
at::Tensor tokensOfMap(const at::Tensor& map);
at::Tensor mapOfTokens(const at::Tensor& tokens, const Grid& grid);

}  // namespace headlight
