// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What looking at images of another size costs. No torch type here.

#include <cstdint>
#include <string>

#include "core/base/Result.h"
#include "core/config/ModelConfig.h"

namespace headlight {

struct ResolutionCost {
  Grid grid;                  ///< of the first layer
  std::int64_t macs = 0;      ///< of one image, no masks
  std::int64_t mapBytes = 0;  ///< all maps of one image, in float32; 0: with stages
};

/// `width` 0: as the height, in pixels. Errors: InvalidConfig, a size that patches do not divide,
/// with the nearest that they do, or one that the mechanism cannot take.
Result<ResolutionCost> resolutionCost(const ModelConfig& config, int height, int width);

/// "37 × 37 patches, 46.8 G multiply-accumulates (5.5 at 224 × 224), all maps 540 MB".
std::string resolutionText(const ModelConfig& config, const ResolutionCost& cost);

}  // namespace headlight
