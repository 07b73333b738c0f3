// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Masks of heads from PNG images and to them: white selects, black does not. No torch type here.

#include <string>
#include <string_view>

#include "core/base/Result.h"
#include "core/config/ModelConfig.h"
#include "core/masks/HeadMask.h"

namespace headlight {

/// The patches that a layer's masks are about, without prefix tokens. Within windows, the layer's
/// own all the same: a drawing for windows goes by offsets.
Grid maskGrid(const ModelConfig& model, int layer);

/// What a PNG draws: pixels of at least half of white are 1. `form`: offsets, keys or pairs
/// (DrawnForm), or auto, which goes by the size: pairs of the grid's patches, its patches (keys),
/// else offsets where both sides are odd. Errors (`name` is said): no PNG, 16 bits a channel, a
/// size that fits none, nothing white.
Result<DrawnMask> drawnFromPng(std::string_view bytes, const std::string& name, const Grid& grid,
                               const std::string& form = "auto");

/// The drawing of a mask; of one that is not drawn, its pairs. Errors: none and decay, which select
/// nothing; a mask that does not fit the layer.
Result<DrawnMask> drawnFromMask(const HeadMask& mask, const ModelConfig& model, int layer,
                                int head);

/// The same on a grid, of a mask with its window in patches.
Result<DrawnMask> drawnFromMask(const HeadMask& mask, const Grid& grid, std::uint64_t seed = 0);

/// PNG bytes, as drawnFromPng() reads them.
Result<std::string> drawnToPng(const DrawnMask& drawn);

}  // namespace headlight
