// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Composed pictures with captions, for the command line and for files: a grid of labelled tiles.

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
  std::string footnote;                ///< what is shown: layer, head, token, normalisation
  std::vector<std::string> rowLabels;  ///< left of each row; may be empty
  int columns = 1;
  std::vector<FigureTile> tiles;  ///< row-major; all of one size
  ColorMap colorMap = ColorMap::Viridis;
  bool colorBar = false;  ///< a bar of colorMap with `range` at its ends
  ValueRange range;
};

/// The composed picture on a white ground.
Image composeFigure(const FigureGrid& grid);

}  // namespace headlight
