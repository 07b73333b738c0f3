// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What multi-scale deformable attention (Zhu et al. 2021, Eq. 3) reads of maps of several strides.
// Internal to core/models.

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

/// The grids of maps of several strides (no prefix tokens), coarse first. Their cells are numbered
/// level after level, each row by row.
using LevelGrids = std::vector<Grid>;

/// What to read where, of B images, Q queries, H heads, L levels and P points.
struct SampledPlaces {
  at::Tensor places;   ///< [B, Q, H, L, P, 2]: x and y in cells of the level; its first cell's
                       ///< center is at (½, ½)
  at::Tensor weights;  ///< [B, Q, H, L, P]
};

/// Σ over levels and points of weight · value, read bilinearly between the centers of cells and 0
/// outside of the level. `values` [B, N, H, d] → [B, Q, H·d]. In float32 on the CPU by loops that
/// keep nothing (SampledLoops.h), on a CUDA device by kernels where the build has them
/// (SampledCuda.h), elsewhere by LibTorch's grid_sampler(), a level at a time.
/// Gradients of gradients are those of the latter.
at::Tensor sampledValues(const at::Tensor& values, const LevelGrids& grids,
                         const SampledPlaces& sampled);

}  // namespace headlight
