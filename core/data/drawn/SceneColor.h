// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Colors of what is drawn.

#include <array>
#include <cstdint>

#include "core/base/Random.h"

namespace headlight {

using SceneColor = std::array<double, 3>;  ///< sRGB, 0 … 255

/// `shareOfB` in [0, 1].
SceneColor mixedColors(const SceneColor& a, const SceneColor& b, double shareOfB);

/// OKLCH (Ottosson 2020) to sRGB: lightness as the eye has it, so that contrast can be promised
/// whatever the hue. `hue` in radians.
SceneColor okColor(double lightness, double chroma, double hue);

struct SceneRange {
  double low = 0;
  double high = 0;
};

SceneColor randomColor(RandomStream& draw, SceneRange lightness, SceneRange chroma, double hue);

/// Writes a pixel (R, G, B) with triangular noise in (−amplitude, amplitude) from one draw.
void storeNoisy(const SceneColor& color, double amplitude, RandomStream& noise, std::uint8_t* out);

}  // namespace headlight
