// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a scene of several shapes holds, before its pixels are drawn.

#include <cstdint>
#include <vector>

#include "core/data/drawn/DrawnShape.h"

namespace headlight {

/// A textured shape that lies on the ground, or on those before it.
struct SceneObject {
  DrawnTexture filling;
  DrawnShape shape;
  DrawnPoint shadow;  ///< offset, pixels
  int label = 0;      ///< kShapes · texture + shape
};

struct SceneShapes {
  DrawnTexture ground;
  std::vector<SceneObject> objects;  ///< later ones lie on top
  DrawnPoint light;                  ///< change of brightness per pixel
  double noise = 0;                  ///< amplitude, 0 … 255

  /// Without noise.
  SceneColor colorAt(DrawnPoint pixel, int size) const;
  /// The topmost object that covers half of the pixel or more; -1: none.
  int objectAt(DrawnPoint pixel) const;
};

/// One to four objects of the first `classes` labels; lengths scale with `size`, in pixels.
SceneShapes randomSceneShapes(int size, std::uint64_t seed, std::uint64_t index, int classes);

}  // namespace headlight
