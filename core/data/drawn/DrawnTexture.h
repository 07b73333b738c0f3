// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Textures as functions of a place: stripes, checks and dots, in double precision.

#include <algorithm>

#include "core/data/drawn/SceneColor.h"

namespace headlight {

enum class TextureKind { Stripes, Checks, Dots };
inline constexpr int kTextures = 3;

struct DrawnPoint {
  double x = 0;
  double y = 0;
};

/// A turn and a shift; positions in pixels.
struct Placement {
  DrawnPoint center;
  double cosine = 1;
  double sine = 0;
  DrawnPoint toLocal(DrawnPoint p) const {
    const double x = p.x - center.x;
    const double y = p.y - center.y;
    return {cosine * x + sine * y, cosine * y - sine * x};
  }
};

Placement placementAt(DrawnPoint center, double angle);

/// Coverage of a pixel at signed distance `inside` pixels within an edge.
inline double covered(double inside) {
  return std::clamp(inside + 0.5, 0.0, 1.0);
}

struct DrawnTexture {
  TextureKind kind = TextureKind::Stripes;
  double period = 1;  ///< pixels
  Placement placement;
  SceneColor first{};
  SceneColor second{};

  SceneColor at(DrawnPoint pixel) const;

 private:
  /// Pixels by which a band of half a period reaches beyond coordinate u; negative outside.
  double band(double u) const;
};

/// With a period of `least` to `most` times `size`, at least 3 pixels; its colors are not chosen.
DrawnTexture randomTexture(RandomStream& draw, TextureKind kind, int size, double least,
                           double most);

}  // namespace headlight
