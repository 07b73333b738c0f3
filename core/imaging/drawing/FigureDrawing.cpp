// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/drawing/FigureDrawing.h"

#include <algorithm>
#include <cstdio>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"

namespace headlight {
namespace {

// In units of 1/96 inch, as composeFigure() has them in pixels.
constexpr double kFigureMargin = 14, kFigureGap = 8, kCaptionSize = 11, kHeadingSize = 15,
                 kLeading = 1.5, kLeastWidth = 480, kLeastCell = 72, kBarWidth = 12;
constexpr std::uint8_t kFaint = 95;
constexpr int kBarSteps = 256;

/// Broken at spaces, so that each line fits.
std::vector<std::string> linesWithin(const std::string& text, double width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && textWidth(longer, kCaptionSize) > width) {
      lines.push_back(line);
      line = word;
    } else {
      line = longer;
    }
    at = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string threeDigits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// Where things of a figure stand.
class DrawnFigure {
 public:
  explicit DrawnFigure(const FigureGrid& grid) : m_grid(grid) {
    if (grid.tiles.empty() || grid.columns <= 0)
      refuse(ErrorCode::InvalidArgument, tr("a figure needs at least one tile and one column"));
    const bool captions = std::any_of(grid.tiles.begin(), grid.tiles.end(),
                                      [](const FigureTile& tile) { return !tile.caption.empty(); });
    m_columns = std::min(grid.columns, static_cast<int>(grid.tiles.size()));
    m_rows = (static_cast<int>(grid.tiles.size()) + m_columns - 1) / m_columns;
    m_tileWidth = grid.tiles.front().image.width;
    m_tileHeight = grid.tiles.front().image.height;
    m_cellWidth = captions ? std::max(m_tileWidth, kLeastCell) : m_tileWidth;
    m_cellHeight = m_tileHeight + (captions ? kCaptionSize * kLeading : 0);
    for (const std::string& label : grid.rowLabels)
      m_labels = std::max(m_labels, textWidth(label, kCaptionSize) + kFigureGap);
  }

  Drawing drawing() {
    addTiles();
    const double right = left(m_columns) + (m_grid.colorBar ? barRoom() : -kFigureGap);
    m_drawing.width = std::max(right + kFigureMargin, kLeastWidth);
    m_drawing.title = m_grid.title;
    addWords(m_grid.title, kFigureMargin, kFigureMargin + kHeadingSize, kHeadingSize);
    for (std::size_t row = 0; row < m_grid.rowLabels.size(); ++row)
      addWords(m_grid.rowLabels[row], kFigureMargin,
               top(static_cast<int>(row)) + (m_tileHeight + kCaptionSize) / 2, kCaptionSize);
    if (m_grid.colorBar) addBar();
    double baseline = top(m_rows) + kCaptionSize;
    for (const std::string& line :
         linesWithin(m_grid.footnote, m_drawing.width - 2 * kFigureMargin)) {
      addWords(line, kFigureMargin, baseline, kCaptionSize, kFaint);
      baseline += kCaptionSize * kLeading;
    }
    m_drawing.height = baseline + kFigureMargin - kCaptionSize;
    return std::move(m_drawing);
  }

 private:
  double left(int column) const {
    return kFigureMargin + m_labels + column * (m_cellWidth + kFigureGap);
  }
  double top(int row) const {
    return kFigureMargin + (m_grid.title.empty() ? 0 : 2 * kHeadingSize) +
           row * (m_cellHeight + kFigureGap);
  }
  double barRoom() const {
    return 2 * kFigureGap + kBarWidth +
           std::max(textWidth(threeDigits(m_grid.range.low), kCaptionSize),
                    textWidth(threeDigits(m_grid.range.high), kCaptionSize));
  }

  void addWords(const std::string& text, double x, double baseline, double size,
                std::uint8_t gray = 25, DrawnText::Anchor anchor = DrawnText::Anchor::Left) {
    if (!text.empty()) m_drawing.texts.push_back({x, baseline, text, size, anchor, gray});
  }

  void addTiles() {
    for (int i = 0; i < static_cast<int>(m_grid.tiles.size()); ++i) {
      const FigureTile& tile = m_grid.tiles[static_cast<std::size_t>(i)];
      if (tile.image.width != m_tileWidth || tile.image.height != m_tileHeight)
        refuse(ErrorCode::InvalidArgument, tr("all tiles of a figure must have the same size"));
      const double x = left(i % m_columns), y = top(i / m_columns);
      m_drawing.images.push_back(
          {x + (m_cellWidth - m_tileWidth) / 2, y, m_tileWidth, m_tileHeight, tile.image});
      addWords(tile.caption, x + m_cellWidth / 2, y + m_tileHeight + kCaptionSize * 1.2,
               kCaptionSize, 25, DrawnText::Anchor::Middle);
    }
  }

  /// Its high end above.
  void addBar() {
    auto pixels = std::make_shared<std::vector<std::uint8_t>>();
    for (int step = 0; step < kBarSteps; ++step) {
      const auto color = colorOf(m_grid.colorMap, 1 - (step + 0.5) / kBarSteps);
      pixels->insert(pixels->end(), color.begin(), color.end());
    }
    const double x = left(m_columns), high = top(m_rows - 1) + m_tileHeight - top(0);
    m_drawing.images.push_back({x, top(0), kBarWidth, high, {1, kBarSteps, std::move(pixels)}});
    const double numbers = x + kBarWidth + kFigureGap;
    addWords(threeDigits(m_grid.range.high), numbers, top(0) + kCaptionSize, kCaptionSize);
    addWords(threeDigits(m_grid.range.low), numbers, top(0) + high, kCaptionSize);
  }

  const FigureGrid& m_grid;
  Drawing m_drawing;
  int m_columns = 1, m_rows = 1;
  double m_tileWidth = 0, m_tileHeight = 0, m_cellWidth = 0, m_cellHeight = 0, m_labels = 0;
};

}  // namespace

Drawing drawGrid(const FigureGrid& grid) {
  return DrawnFigure(grid).drawing();
}

}  // namespace headlight
