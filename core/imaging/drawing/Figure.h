// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Composed images with captions, for the command line and for files: a grid of labeled tiles.

#include <string>
#include <vector>

#include "core/imaging/ColorMap.h"

namespace headlight {

struct FigureTile {
  Image image;
  std::string caption;  ///< below the tile; may be empty
};

struct FigureGrid {
  std::string title;                   ///< one line above
  std::string footnote;                ///< what is shown: layer, head, token, normalization
  std::vector<std::string> rowLabels;  ///< left of each row; may be empty
  int columns = 1;
  std::vector<FigureTile> tiles;  ///< row-major; all of one size
  ColorMap colorMap = ColorMap::Viridis;
  bool colorBar = false;  ///< a bar of colorMap with `range` at its ends
  ValueRange range;
};

/// The composed image on a white ground.
Image composeFigure(const FigureGrid& grid);

}  // namespace headlight
