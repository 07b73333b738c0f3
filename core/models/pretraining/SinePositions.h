// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fixed positions on a grid, as facebookresearch/mae has them (util/pos_embed.py). Internal to
// core/models.

#include <ATen/core/Tensor.h>

#include "core/masks/Grid.h"

namespace headlight {

/// [1, grid.tokens(), width], float32: 0 for prefix tokens, then for each patch row by row the sine
/// and cosine of its column in the first half of the features, of its row in the second:
/// sin(p · 10000^(−i/q)), cos(p · 10000^(−i/q)) for i = 0 … q − 1, q = width / 4, p from 0. `width` is
/// a multiple of 4.
at::Tensor sinePositions(const Grid& grid, int width);

}  // namespace headlight
