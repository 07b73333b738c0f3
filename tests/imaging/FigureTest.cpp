// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/base/Utf8.h"
#include "core/imaging/drawing/Figure.h"
#include "core/imaging/drawing/TextPainter.h"
#include "tests/imaging/TestImages.h"

namespace headlight {
namespace {

using Color = std::array<std::uint8_t, 3>;
using test::paint;
using test::pixel;

constexpr Color kTileColor{200, 30, 60};

FigureGrid gridOf(int tiles, int columns, int size = 80) {
  FigureGrid grid;
  grid.columns = columns;
  for (int i = 0; i < tiles; ++i)
    grid.tiles.push_back({paint(size, size, [](int, int) { return kTileColor; }), ""});
  return grid;
}

int countOf(const Image& image, const Color& color) {
  int count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      count += pixel(image, x, y) == color;
  return count;
}

/// Whether some pixel is within 3 of the color in every channel.
bool hasNear(const Image& image, const Color& color) {
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const Color got = pixel(image, x, y);
      int largest = 0;
      for (std::size_t c = 0; c < 3; ++c)
        largest = std::max(largest, std::abs(got[c] - color[c]));
      if (largest <= 3) return true;
    }
  return false;
}

/// Pixels that are neither white nor a tile's color: letters.
int inkIn(const Image& image) {
  return image.width * image.height - countOf(image, {255, 255, 255}) - countOf(image, kTileColor);
}

TEST(Figure, holdsEveryTileWholeOnWhite) {
  const Image figure = composeFigure(gridOf(5, 3));
  EXPECT_EQ(countOf(figure, kTileColor), 5 * 80 * 80);
  EXPECT_EQ(inkIn(figure), 0);
  EXPECT_EQ(pixel(figure, 0, 0), (Color{255, 255, 255}));
  EXPECT_GT(figure.width, 3 * 80);
  EXPECT_GT(figure.height, 2 * 80);
  EXPECT_LT(figure.width, 4 * 80);
}

TEST(Figure, everyTextLeavesInkAndHidesNoTile) {
  const auto check = [](const FigureGrid& grid, int leastInk) {
    const Image figure = composeFigure(grid);
    EXPECT_EQ(countOf(figure, kTileColor), 4 * 80 * 80);
    EXPECT_GT(inkIn(figure), leastInk);
  };
  FigureGrid title = gridOf(4, 2);
  title.title = "Attention of every head";
  check(title, 300);
  FigureGrid footnote = gridOf(4, 2);
  footnote.footnote = "DeiT-T, layer 3, class token; each head by its own maximum";
  check(footnote, 300);
  FigureGrid captions = gridOf(4, 2);
  for (FigureTile& tile : captions.tiles)
    tile.caption = "head 1 · ALS 0.42";
  check(captions, 300);
  FigureGrid labels = gridOf(4, 2);
  labels.rowLabels = {"layer 0", "layer 1"};
  check(labels, 100);
}

TEST(Figure, colorBarShowsItsMap) {
  FigureGrid grid = gridOf(2, 1);
  grid.colorBar = true;
  grid.range = {-0.25, 0.75};
  const Image figure = composeFigure(grid);
  for (const double value : {0.1, 0.5, 0.9})
    EXPECT_TRUE(hasNear(figure, colorOf(grid.colorMap, value))) << value;
  EXPECT_FALSE(hasNear(composeFigure(gridOf(2, 1)), colorOf(grid.colorMap, 0.5)));
  EXPECT_EQ(countOf(figure, kTileColor), 2 * 80 * 80);
  EXPECT_GT(figure.width, composeFigure(gridOf(2, 1)).width);
}

TEST(Figure, longTextsDoNotWidenItWithoutEnd) {
  FigureGrid grid = gridOf(1, 1);
  grid.title = std::string(2000, 'T');
  grid.footnote = std::string(500, 'w') + " and some more words " + std::string(500, 'x');
  grid.tiles[0].caption = std::string(1000, 'c');
  grid.rowLabels = {std::string(1000, 'r')};
  const Image figure = composeFigure(grid);
  EXPECT_LT(figure.width, 1000);
  EXPECT_EQ(countOf(figure, kTileColor), 80 * 80);
}

TEST(Figure, refusesNonsense) {
  EXPECT_THROW(composeFigure({}), Failure);
  EXPECT_THROW(composeFigure(gridOf(2, 0)), Failure);
  FigureGrid uneven = gridOf(2, 2);
  uneven.tiles[1].image = test::pattern(10, 10);
  EXPECT_THROW(composeFigure(uneven), Failure);
}

TEST(TextPainter, widthGrowsAndShorteningFits) {
  TextPainter painter;
  EXPECT_LT(painter.measureWidth("layer", 14), painter.measureWidth("layer 12", 14));
  EXPECT_LT(painter.measureWidth("layer", 14), painter.measureWidth("layer", 28));
  const std::string text = "größer als der Platz: αβγ";
  for (const int width : {0, 5, 40, 90, 1000}) {
    const std::string cut = painter.shortened(text, width, 14);
    EXPECT_LE(painter.measureWidth(cut, 14), width);
    for (const char32_t point : codePoints(cut))
      EXPECT_NE(point, U'\ufffd');  // cut at a letter
  }
  EXPECT_EQ(painter.shortened(text, 1000, 14), text);
}

TEST(TextPainter, clipsAtTheEdges) {
  TextPainter painter;
  PixelCanvas canvas{20, 10, std::vector<std::uint8_t>(600, 255)};
  painter.draw(canvas, "Wide text that leaves", -5, 3, 16, 0);
  painter.draw(canvas, "below", 2, 100, 16, 0);
  EXPECT_EQ(canvas.pixels.size(), 600u);
}

}  // namespace
}  // namespace headlight
