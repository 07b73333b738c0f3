// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The host side of the kernels of multi-scale deformable attention: tensors in and out. Compiled
// with CUDA and, for the CPU, in tests.

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/masks/Grid.h"

namespace headlight::cuda {

/// All of one type, on one device.
struct SampledTensors {
  at::Tensor values;   ///< [B, N, H, d]
  at::Tensor places;   ///< [B, Q, H, L, P, 2]
  at::Tensor weights;  ///< [B, Q, H, L, P]
};

/// Σ over levels and points of weight · value, read bilinearly between the centers of cells, 0
/// outside: [B, Q, H·d]. `grids` have no prefix, and together N cells.
at::Tensor sampledSums(const SampledTensors& given, const std::vector<Grid>& grids);

/// The gradients of values, places and weights from that of the sums; the same bits every time.
/// Where some gradient of the sums, or a weight, is no finite number, none of the values' is.
SampledTensors sampledSumsBack(const SampledTensors& given, const std::vector<Grid>& grids,
                               const at::Tensor& dSums);

}  // namespace headlight::cuda
