// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The sizes of LeViT, which Castling-LeViT shares. Internal to core/models.

#include <string>
#include <vector>

#include "core/config/ModelConfig.h"

namespace headlight {

struct LevitSize {
  std::vector<int> widths, heads, depths;
  int keyWidth;
};

inline const LevitSize kLevit128{{128, 256, 384}, {4, 8, 12}, {4, 4, 4}, 16};
inline const LevitSize kLevit192{{192, 288, 384}, {3, 5, 6}, {4, 4, 4}, 32};
inline const LevitSize kLevit256{{256, 384, 512}, {4, 6, 8}, {4, 4, 4}, 32};
inline const LevitSize kLevit384{{384, 512, 768}, {6, 9, 12}, {4, 4, 4}, 32};

/// LeViT at 224 pixels, distilled, with softmax attention.
ModelConfig levitConfig(const std::string& name, const LevitSize& size);

}  // namespace headlight
