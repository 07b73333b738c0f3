// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shapes by their signed distance: disc, triangle and cross with rounded corners.

#include "core/data/drawn/DrawnTexture.h"

namespace headlight {

enum class ShapeKind { Disc, Triangle, Cross };
inline constexpr int kShapes = 3;

struct DrawnShape {
  ShapeKind kind = ShapeKind::Disc;
  double radius = 1;  ///< of the disc; the others are drawn with a like area
  double rounding = 0;
  Placement placement;

  /// Signed distance in pixels, negative inside.
  double distance(DrawnPoint pixel) const;
  /// How far it reaches from its center, as a multiple of `radius`.
  static double reach(ShapeKind kind);
};

}  // namespace headlight
