// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the cells of a detector's levels say: a score for every class, and how far the box's sides
// are (PP-PicoDet, Yu et al. 2021; Generalized Focal Loss, Li et al. 2020).

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace headlight {

/// A level of cells, each `stride` pixels wide and high.
struct CellLevel {
  std::int64_t stride = 8, height = 0, width = 0;

  std::int64_t cells() const { return height * width; }
  bool operator==(const CellLevel&) const = default;
};
using CellLevels = std::vector<CellLevel>;

/// N cells: level after level, each row by row.
struct CellScores {
  at::Tensor logits;  ///< [B, N, K], of the classes, before the sigmoid
  at::Tensor sides;   ///< [B, N, 4, bins] logits of the distances to left, top, right and bottom
  CellLevels levels;

  bool defined() const { return logits.defined(); }
};

/// [N, 2]: x and y of the cells' centers ((i + ½)·s, (j + ½)·s) in pixels, float32.
at::Tensor cellCenters(const CellLevels& levels, at::Device device = at::kCPU);
/// [N]: the strides of the cells in pixels, float32.
at::Tensor cellStrides(const CellLevels& levels, at::Device device = at::kCPU);
/// [B, N, 4] of `sides`: distances in strides, the mean of a softmax over 0 … bins − 1.
at::Tensor sideDistances(const at::Tensor& sides);
/// [B, N, 4]: left, top, right and bottom in pixels of the image that the model sees, not clipped.
at::Tensor cellBoxes(const CellScores& scores);

}  // namespace headlight
