// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/drawn/DrawnTexture.h"

#include <cmath>
#include <numbers>

namespace headlight {

Placement placementAt(DrawnPoint center, double angle) {
  return {center, std::cos(angle), std::sin(angle)};
}

double DrawnTexture::band(double u) const {
  const double phase = u / period;
  return (0.25 - std::abs(phase - std::floor(phase) - 0.5)) * period;
}

SceneColor DrawnTexture::at(DrawnPoint pixel) const {
  const DrawnPoint p = placement.toLocal(pixel);
  double share = 0;
  if (kind == TextureKind::Stripes) {
    share = covered(band(p.x));
  } else if (kind == TextureKind::Checks) {
    const double across = covered(band(p.x));
    const double down = covered(band(p.y));
    share = across * (1 - down) + down * (1 - across);
  } else {
    const double dx = (p.x / period - std::floor(p.x / period) - 0.5) * period;
    const double dy = (p.y / period - std::floor(p.y / period) - 0.5) * period;
    share = covered(0.32 * period - std::sqrt(dx * dx + dy * dy));
  }
  return mixedColors(first, second, share);
}

DrawnTexture randomTexture(RandomStream& draw, TextureKind kind, int size, double least,
                           double most) {
  DrawnTexture texture;
  texture.kind = kind;
  texture.period = std::max(3.0, draw.uniform(least, most) * size);
  const double angle = draw.uniform(0, 2 * std::numbers::pi);
  texture.placement = placementAt({draw.uniform(0, size), draw.uniform(0, size)}, angle);
  return texture;
}

}  // namespace headlight
