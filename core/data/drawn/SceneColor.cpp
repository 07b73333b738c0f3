// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/drawn/SceneColor.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

/// Triangular noise in (−1, 1) from 20 bits.
double noiseOf(std::uint64_t bits) {
  return (static_cast<double>(bits & 1023) + static_cast<double>((bits >> 10) & 1023)) / 1023.0 - 1;
}

}  // namespace

SceneColor mixedColors(const SceneColor& a, const SceneColor& b, double shareOfB) {
  return {a[0] + (b[0] - a[0]) * shareOfB, a[1] + (b[1] - a[1]) * shareOfB,
          a[2] + (b[2] - a[2]) * shareOfB};
}

SceneColor okColor(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue);
  const double b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  const SceneColor linear = {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                             -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                             -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
  SceneColor color;
  for (int c = 0; c < 3; ++c) {
    const double value = std::clamp(linear[c], 0.0, 1.0);
    color[c] =
        255.0 * (value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055);
  }
  return color;
}

// One draw a statement here: the order in which a call's arguments are evaluated is the compiler's.
SceneColor randomColor(RandomStream& draw, SceneRange lightness, SceneRange chroma, double hue) {
  const double l = draw.uniform(lightness.low, lightness.high);
  const double c = draw.uniform(chroma.low, chroma.high);
  return okColor(l, c, hue);
}

void storeNoisy(const SceneColor& color, double amplitude, RandomStream& noise, std::uint8_t* out) {
  const std::uint64_t bits = noise.next();
  for (int c = 0; c < 3; ++c) {
    const double value = color[c] + amplitude * noiseOf(bits >> (20 * c));
    out[c] = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0) + 0.5);
  }
}

}  // namespace headlight
