// SPDX-License-Identifier: GPL-3.0-or-later

// Boxes with labels over an image.

#include <gtest/gtest.h>

#include <limits>

#include "core/imaging/drawing/BoxDrawing.h"
#include "tests/imaging/TestImages.h"

namespace headlight {
namespace {

using Pixel = std::array<std::uint8_t, 3>;

constexpr Pixel kWhitePixel{255, 255, 255};
const DrawnColor kRed{255, 55, 55}, kBlue{55, 55, 255};

Pixel pixelOf(const DrawnColor& color) {
  return {color.red, color.green, color.blue};
}

Image whiteImage(int width, int height) {
  return test::paint(width, height, [](int, int) { return kWhitePixel; });
}

TEST(BoxDrawing, LinesFollowTheBoxAndLeaveItsInside) {
  const Image drawn = drawBoxes(whiteImage(200, 100), {{20, 40, 120, 90, "", kRed}});
  EXPECT_EQ(drawn.width, 200);
  EXPECT_EQ(drawn.height, 100);
  for (const auto& [x, y] : {std::pair{20, 40}, {119, 40}, {20, 89}, {119, 89}, {70, 40}, {20, 60}})
    EXPECT_EQ(test::pixel(drawn, x, y), pixelOf(kRed)) << x << ", " << y;
  EXPECT_EQ(test::pixel(drawn, 70, 65), kWhitePixel);
  EXPECT_EQ(test::pixel(drawn, 10, 10), kWhitePixel);
  EXPECT_EQ(test::pixel(drawn, 19, 60), (Pixel{85, 85, 85})) << "the halo";
}

TEST(BoxDrawing, TheFirstIsOnTop) {
  const DrawnBox red{10, 10, 90, 90, "", kRed}, blue{10, 10, 90, 90, "", kBlue};
  EXPECT_EQ(test::pixel(drawBoxes(whiteImage(100, 100), {red, blue}), 50, 10), pixelOf(kRed));
  EXPECT_EQ(test::pixel(drawBoxes(whiteImage(100, 100), {blue, red}), 50, 10), pixelOf(kBlue));
}

/// Pixels of exactly this color.
int countOfColor(const Image& image, const DrawnColor& color) {
  int count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      count += test::pixel(image, x, y) == pixelOf(color);
  return count;
}

TEST(BoxDrawing, LabelsStayInTheImage) {
  const Image plain = drawBoxes(whiteImage(300, 200), {{280, 190, 320, 260, "", kRed}});
  const Image labeled = drawBoxes(whiteImage(300, 200), {{280, 190, 320, 260, "cat 93 %", kRed}});
  EXPECT_GT(countOfColor(labeled, kRed), countOfColor(plain, kRed) + 100);
  const Image narrow = drawBoxes(whiteImage(40, 40), {{0, 0, 40, 40, "a very long name", kRed}});
  EXPECT_GT(countOfColor(narrow, kRed), 100);
}

TEST(BoxDrawing, LinesAndLettersGrowWithTheImage) {
  const auto shareOfColor = [](int side) {
    const Image drawn = drawBoxes(whiteImage(side, side),
                                  {{0.2 * side, 0.3 * side, 0.8 * side, 0.9 * side, "cat", kRed}});
    return static_cast<double>(countOfColor(drawn, kRed)) / (side * side);
  };
  EXPECT_NEAR(shareOfColor(1200) / shareOfColor(600), 1, 0.1);
}

TEST(BoxDrawing, BoxesWithoutAreaInTheImageAreLeftOut) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Image white = whiteImage(60, 60);
  for (const DrawnBox& box :
       {DrawnBox{70, 10, 90, 20, "cat", kRed}, DrawnBox{30, 30, 30, 50, "cat", kRed},
        DrawnBox{-20, -20, -1, -1, "cat", kRed}, DrawnBox{kNan, kNan, kNan, kNan, "cat", kRed}})
    EXPECT_EQ(test::maxDifference(drawBoxes(white, {box}), white), 0);
  EXPECT_TRUE(drawBoxes({}, {{0, 0, 1, 1, "cat", kRed}}).empty());
}

TEST(BoxDrawing, DashedSidesHaveGaps) {
  const Image whole = drawBoxes(whiteImage(200, 200), {{20, 20, 180, 180, "", kRed}});
  const Image dashed = drawBoxes(whiteImage(200, 200), {{20, 20, 180, 180, "", kRed, true}});
  int red = 0;
  for (int x = 20; x < 180; ++x) {
    EXPECT_EQ(test::pixel(whole, x, 179), pixelOf(kRed));
    red += test::pixel(dashed, x, 179) == pixelOf(kRed) ? 1 : 0;
  }
  EXPECT_EQ(red, 80);  // dashes of 5 pixels, gaps of 5
}

}  // namespace
}  // namespace headlight
