// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which patches a mask lets one patch look at, for every way in which layers lay out their tokens:
// plain grids, pooled keys, windows. Internal to MaskSight.

#include <cstdint>
#include <vector>

#include "core/config/ModelConfig.h"
#include "core/masks/HeadMask.h"

namespace headlight {

/// A patch that looks, in a layer.
struct MaskedPatch {
  const ModelConfig& model;
  int layer = 0;
  int head = 0;
  Grid grid;      ///< of the layer's maps
  int patch = 0;  ///< counted on it, without prefix tokens
};

struct PatchesInside {
  std::vector<std::uint8_t> inside;  ///< [rows × cols] of the grid; 1: its logit stays as it is
  bool all = false;                  ///< nothing that the patch could see is outside
};

/// For any kind but None; of a decay, where at least half of a weight is left. Throws Failure for
/// options that the layer's mechanism refuses, and masks that do not fit the layer.
PatchesInside patchesInside(const MaskedPatch& at, const HeadMask& mask);

}  // namespace headlight
