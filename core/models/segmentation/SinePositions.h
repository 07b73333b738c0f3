// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fixed positions of the places of a map (DETR, Carion et al. 2020). Internal to core/models.

#include <ATen/core/Tensor.h>

#include "core/masks/Grid.h"

namespace headlight {

/// [T, width] of the patches of `grid`, row by row, in the dtype and on the device of `options`:
/// first what the row gives, then the column, width/2 features each. Row i of n is at the angle
/// a = 2π·(i + 1)/(n + 1e-6); its features are sin(a/10,000^(4j/width)) and the cosine in turn,
/// j = 0 … width/4 − 1. `width` is a multiple of 4.
at::Tensor sinePositions(const Grid& grid, int width, const at::TensorOptions& options);

}  // namespace headlight
