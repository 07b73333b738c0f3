// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How commands draw maps.

#include "core/workbench/session/MapRendering.h"

namespace headlight::cli {

struct ImageStyle {
  MapStyle style = MapStyle::Headlight;
  double dim = 0.85;  ///< of the headlight
  ColorMap colorMap = ColorMap::Viridis;
  bool smooth = true;
  bool sharedScale = false;  ///< one scale for all heads of a grid, instead of each its own
  double opacity = 0.6;
  bool maskOutline = false;  ///< outlines what each mask lets the query look at
  int tile = 112;            ///< width of a tile of the grid, in pixels
  int single = 448;          ///< width of a single overlay, in pixels
};

}  // namespace headlight::cli
