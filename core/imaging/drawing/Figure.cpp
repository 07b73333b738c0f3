// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/drawing/Figure.h"

#include <algorithm>
#include <cstdio>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/drawing/TextPainter.h"

namespace headlight {
namespace {

constexpr std::uint8_t kInk = 25;
constexpr std::uint8_t kFaintInk = 95;
constexpr int kMinCell = 72;         // so that captions of thumbnails can be read
constexpr int kWidthForTexts = 480;  // a small grid is widened up to this for title and footnote

/// Everything in pixels. A cell holds a tile, centerd, over its caption.
struct Layout {
  int columns = 1;
  int rows = 0;
  int tileWidth = 0;
  int tileHeight = 0;
  int cellWidth = 0;
  int cellHeight = 0;
  int textSize = 13;
  int titleSize = 17;
  int margin = 14;
  int gap = 8;
  int labelWidth = 0;  ///< of the row labels, gap included
  int barWidth = 0;    ///< of the color bar, gap and numbers included
  int top = 0;         ///< of the first row of cells
  int width = 0;
  int height = 0;
  std::vector<std::string> footnote;  ///< broken into lines

  int lineHeight() const { return textSize * 3 / 2; }
  int cellLeft(int column) const { return margin + labelWidth + column * (cellWidth + gap); }
  int cellTop(int row) const { return top + row * (cellHeight + gap); }
  int gridHeight() const { return rows * cellHeight + (rows - 1) * gap; }
};

std::string shortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// Breaks at spaces so that each line fits; a single long word is cut.
std::vector<std::string> brokenLines(TextPainter& painter, const std::string& text, int width,
                                     int size) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && painter.measureWidth(longer, size) > width) {
      lines.push_back(line);
      line = word;
    } else {
      line = longer;
    }
    if (end < text.size() && text[end] == '\n') {
      lines.push_back(line);
      line.clear();
    }
    at = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  for (std::string& each : lines)
    each = painter.shortened(each, width, size);
  return lines;
}

void requireSaneFigure(const FigureGrid& grid) {
  if (grid.columns <= 0 || grid.tiles.empty())
    refuse(ErrorCode::InvalidArgument, tr("a figure needs at least one tile and one column"));
  const Image& first = grid.tiles.front().image;
  for (const FigureTile& tile : grid.tiles)
    if (tile.image.empty() || tile.image.width != first.width || tile.image.height != first.height)
      refuse(ErrorCode::InvalidArgument,
             tr("all tiles of a figure must have the same size and not be empty"));
}

void measureSides(const FigureGrid& grid, TextPainter& painter, Layout& layout) {
  for (const std::string& label : grid.rowLabels)
    layout.labelWidth = std::max(layout.labelWidth, painter.measureWidth(label, layout.textSize));
  layout.labelWidth = std::min(layout.labelWidth, 240);
  if (layout.labelWidth > 0) layout.labelWidth += layout.gap;
  if (grid.colorBar)
    layout.barWidth = 3 * layout.gap + layout.textSize +
                      std::max(painter.measureWidth(shortNumber(grid.range.low), layout.textSize),
                               painter.measureWidth(shortNumber(grid.range.high), layout.textSize));
}

Layout layoutOf(const FigureGrid& grid, TextPainter& painter) {
  Layout layout;
  layout.columns = std::min<int>(grid.columns, static_cast<int>(grid.tiles.size()));
  layout.rows = (static_cast<int>(grid.tiles.size()) + layout.columns - 1) / layout.columns;
  layout.tileWidth = grid.tiles.front().image.width;
  layout.tileHeight = grid.tiles.front().image.height;
  layout.textSize = std::clamp(layout.tileWidth / 18, 12, 20);
  layout.titleSize = layout.textSize * 4 / 3;
  const bool captions = std::any_of(grid.tiles.begin(), grid.tiles.end(),
                                    [](const FigureTile& tile) { return !tile.caption.empty(); });
  layout.cellWidth = captions ? std::max(layout.tileWidth, kMinCell) : layout.tileWidth;
  layout.cellHeight = layout.tileHeight + (captions ? layout.lineHeight() : 0);
  measureSides(grid, painter, layout);

  const std::int64_t wide = 2ll * layout.margin + layout.labelWidth + layout.barWidth +
                            std::int64_t{layout.columns} * (layout.cellWidth + layout.gap);
  const std::int64_t high = std::int64_t{layout.rows} * (layout.cellHeight + layout.gap);
  if (wide > kMaxImagePixels || (wide + kWidthForTexts) * (high + 200) > kMaxImagePixels)
    refuse(ErrorCode::InvalidArgument,
           tr("the figure would exceed 64 megapixels; choose fewer or smaller tiles"));
  const int texts = std::max(painter.measureWidth(grid.title, layout.titleSize),
                             painter.measureWidth(grid.footnote, layout.textSize));
  layout.width = std::max(static_cast<int>(wide) - layout.gap,
                          std::min(texts, kWidthForTexts) + 2 * layout.margin);
  layout.top = layout.margin + (grid.title.empty() ? 0 : layout.titleSize * 2);
  layout.footnote =
      brokenLines(painter, grid.footnote, layout.width - 2 * layout.margin, layout.textSize);
  layout.height = layout.cellTop(0) + layout.gridHeight() + layout.margin +
                  static_cast<int>(layout.footnote.size()) * layout.lineHeight();
  return layout;
}

void drawTile(PixelCanvas& canvas, TextPainter& painter, const Layout& layout,
              const FigureTile& tile, int left, int top) {
  const int tileLeft = left + (layout.cellWidth - layout.tileWidth) / 2;
  for (int y = 0; y < layout.tileHeight; ++y)
    std::copy_n(tile.image.row(y), layout.tileWidth * 3, canvas.at(tileLeft, top + y));
  const std::string caption = painter.shortened(tile.caption, layout.cellWidth, layout.textSize);
  const int indent = (layout.cellWidth - painter.measureWidth(caption, layout.textSize)) / 2;
  painter.draw(canvas, caption, left + indent, top + layout.tileHeight + layout.textSize * 5 / 4,
               layout.textSize, kInk);
}

/// A vertical bar right of the grid, its high end above, as high as the grid without last caption.
void drawColorBar(PixelCanvas& canvas, TextPainter& painter, const Layout& layout,
                  const FigureGrid& grid) {
  const int left = layout.cellLeft(layout.columns) + layout.gap;
  const int top = layout.cellTop(0);
  const int height = layout.cellTop(layout.rows - 1) + layout.tileHeight - top;
  for (int y = 0; y < height; ++y) {
    const auto color = colorOf(grid.colorMap, 1.0 - (y + 0.5) / height);
    for (int x = 0; x < layout.textSize; ++x)
      std::copy_n(color.data(), 3, canvas.at(left + x, top + y));
  }
  const int numbers = left + layout.textSize + layout.gap;
  painter.draw(canvas, shortNumber(grid.range.high), numbers, top + layout.textSize,
               layout.textSize, kInk);
  painter.draw(canvas, shortNumber(grid.range.low), numbers, top + height - 2, layout.textSize,
               kInk);
}

void drawTexts(PixelCanvas& canvas, TextPainter& painter, const Layout& layout,
               const FigureGrid& grid) {
  const int inner = layout.width - 2 * layout.margin;
  painter.draw(canvas, painter.shortened(grid.title, inner, layout.titleSize), layout.margin,
               layout.margin + layout.titleSize, layout.titleSize, kInk);
  const int labels = std::min<int>(layout.rows, static_cast<int>(grid.rowLabels.size()));
  for (int row = 0; row < labels; ++row) {
    const std::string label = painter.shortened(grid.rowLabels[static_cast<std::size_t>(row)],
                                                layout.labelWidth - layout.gap, layout.textSize);
    const int middle = layout.cellTop(row) + (layout.tileHeight + layout.textSize) / 2;
    painter.draw(canvas, label, layout.margin, middle, layout.textSize, kInk);
  }
  int baseline = layout.cellTop(0) + layout.gridHeight() + layout.gap + layout.textSize;
  for (const std::string& line : layout.footnote) {
    painter.draw(canvas, line, layout.margin, baseline, layout.textSize, kFaintInk);
    baseline += layout.lineHeight();
  }
}

}  // namespace

Image composeFigure(const FigureGrid& grid) {
  requireSaneFigure(grid);
  TextPainter painter;
  const Layout layout = layoutOf(grid, painter);
  PixelCanvas canvas{layout.width, layout.height, {}};
  canvas.pixels.assign(static_cast<std::size_t>(canvas.width) * canvas.height * 3, 255);
  for (int i = 0; i < static_cast<int>(grid.tiles.size()); ++i)
    drawTile(canvas, painter, layout, grid.tiles[static_cast<std::size_t>(i)],
             layout.cellLeft(i % layout.columns), layout.cellTop(i / layout.columns));
  if (grid.colorBar) drawColorBar(canvas, painter, layout, grid);
  drawTexts(canvas, painter, layout, grid);
  return {canvas.width, canvas.height,
          std::make_shared<const std::vector<std::uint8_t>>(std::move(canvas.pixels))};
}

}  // namespace headlight
