// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where everything of a figure page stands, in units of 1/96 inch. Behind PageDrawing.h.

#include <string>
#include <vector>

#include "core/workbench/figures/PageDrawing.h"
#include "core/workbench/figures/PageKey.h"

namespace headlight {

struct PageLayout {
  std::size_t rows = 0, columns = 0;  ///< of tiles, as they stand on the page
  bool imagesAreRows = true;
  int tilePixelWidth = 1, tilePixelHeight = 1;
  double tileWidth = 0, tileHeight = 0;
  double gap = 0, margin = 8;
  double letters = 11, small = 9;  ///< ems
  double labelWidth = 0;           ///< left of the rows, gap included
  double barHeight = 0;            ///< of a bar with its numbers below a tile
  bool barBelowEach = false, barBelowColumns = false, barRight = false;
  double barWidth = 0;  ///< right of the rows, gap included
  double top = 0;       ///< of the first row
  double width = 0, height = 0;
  std::vector<std::vector<std::string>> headings, labels;  ///< lines of each column, of each row
  std::vector<std::string> title, caption;                 ///< lines
  std::vector<std::vector<PlacedKey>> key;                 ///< lines, above the caption

  double lineHeight() const { return letters * 1.3; }
  double cellHeight() const { return tileHeight + (barBelowEach ? barHeight : 0); }
  double left(std::size_t column) const {
    return margin + labelWidth + static_cast<double>(column) * (tileWidth + gap);
  }
  double upper(std::size_t row) const {
    return top + static_cast<double>(row) * (cellHeight() + gap);
  }
  double right() const { return left(columns - 1) + tileWidth; }
  double keyHeight() const { return static_cast<double>(key.size()) * lineHeight(); }
  /// Below the last row's tiles, bars and all.
  double below() const {
    return upper(rows - 1) + cellHeight() + (barBelowColumns ? barHeight : 0);
  }
};

/// Throws Failure for a page that is too large.
PageLayout layOutPage(const FigurePage& page, const PageContent& inference);

/// Words in lines of at most `width`; a word that is longer is cut with "…". At most `most` lines.
std::vector<std::string> wordsInLines(const std::string& text, double width, double size,
                                      std::size_t most);
/// How wide text is in whatever sans-serif face a reader has, at most.
double widestText(const std::string& text, double size);
/// "0.00123".
std::string barNumber(double value);

}  // namespace headlight
