// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Color maps as tables. Private to imaging.

#include <array>
#include <cmath>
#include <cstdint>

#include "core/imaging/ColorMap.h"

namespace headlight {

/// 256 colors, and one more for "not a number".
inline constexpr std::size_t kNoNumber = 256;
using ColorTable = std::array<std::array<std::uint8_t, 3>, kNoNumber + 1>;

/// Built once, on first use; thread-safe.
const ColorTable& colorTable(ColorMap map);

inline std::uint16_t colorIndex(float value) {
  if (std::isnan(value)) return kNoNumber;
  const float clamped = value < 0 ? 0.0f : value > 1 ? 1.0f : value;
  return static_cast<std::uint16_t>(clamped * 255.0f + 0.5f);
}

}  // namespace headlight
