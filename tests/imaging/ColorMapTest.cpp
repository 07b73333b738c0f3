// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/imaging/ColorMap.h"
#include "tests/imaging/TestImages.h"

namespace headlight {
namespace {

using Color = std::array<std::uint8_t, 3>;
using test::pixel;

void expectNear(const Color& got, const Color& expected, int tolerance) {
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(got[c], expected[c], tolerance);
}

int brightness(const Color& color) {
  return 299 * color[0] + 587 * color[1] + 114 * color[2];
}

TEST(ColorMap, namesAndOrder) {
  ASSERT_EQ(colorMaps().size(), 7u);
  std::set<char> keys;
  for (std::size_t i = 0; i < colorMaps().size(); ++i) {
    EXPECT_EQ(colorMaps()[i].map, static_cast<ColorMap>(i));
    EXPECT_EQ(*colorMapFromName(colorMaps()[i].name), colorMaps()[i].map);
    EXPECT_TRUE(keys.insert(colorMaps()[i].key).second) << "two have the same key";
  }
  const auto unknown = colorMapFromName("rainbow");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(unknown.error().message.find("viridis, cividis"), std::string::npos);
}

/// The published ends (matplotlib; turbo: Google's table).
TEST(ColorMap, knownColors) {
  expectNear(colorOf(ColorMap::Viridis, 0), {68, 1, 84}, 1);
  expectNear(colorOf(ColorMap::Viridis, 1), {253, 231, 37}, 1);
  expectNear(colorOf(ColorMap::Viridis, 0.5), {33, 145, 140}, 3);
  expectNear(colorOf(ColorMap::Cividis, 0), {0, 34, 78}, 2);
  expectNear(colorOf(ColorMap::Inferno, 1), {252, 255, 164}, 1);
  expectNear(colorOf(ColorMap::Turbo, 0), {48, 18, 59}, 1);
  expectNear(colorOf(ColorMap::Jet, 0), {0, 0, 128}, 4);
  expectNear(colorOf(ColorMap::Gray, 0.2), {51, 51, 51}, 0);
}

TEST(ColorMap, divergingIsNeutralInTheMiddleAndDarkAtBothEnds) {
  expectNear(colorOf(ColorMap::Diverging, 0.5), {247, 247, 247}, 0);
  const Color low = colorOf(ColorMap::Diverging, 0);
  const Color high = colorOf(ColorMap::Diverging, 1);
  EXPECT_GT(low[2], low[0]);
  EXPECT_GT(high[0], high[2]);
  EXPECT_LT(std::abs(brightness(low) - brightness(high)), 25000);
}

TEST(ColorMap, valuesOutsideAreClampedAndNanIsGray) {
  EXPECT_EQ(colorOf(ColorMap::Viridis, -3), colorOf(ColorMap::Viridis, 0));
  EXPECT_EQ(colorOf(ColorMap::Viridis, 1e9), colorOf(ColorMap::Viridis, 1));
  EXPECT_EQ(colorOf(ColorMap::Viridis, std::nan("")), (Color{128, 128, 128}));
}

TEST(ColorMap, range) {
  const float nan = std::nanf("");
  const ValueRange plain = valueRange({3, -1, nan, 2, INFINITY});
  EXPECT_EQ(plain.low, -1);
  EXPECT_EQ(plain.high, 3);
  const ValueRange symmetric = valueRange({1, -4, 2}, true);
  EXPECT_EQ(symmetric.low, -4);
  EXPECT_EQ(symmetric.high, 4);
  EXPECT_EQ(valueRange({nan}).high, 1);
  EXPECT_EQ(valueRange({}).low, 0);
}

TEST(Heatmap, blocksHaveExactEdges) {
  const Image map = heatmap({0, 1, 1, 0}, 2, 2, {0, 1}, ColorMap::Gray, 100, 60, false);
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 100; ++x)
      ASSERT_EQ(pixel(map, x, y)[0], (x < 50) == (y < 30) ? 0 : 255) << x << "," << y;
}

/// 14 cells over 224 pixels and over 100, which 14 does not divide: each cell within one pixel.
TEST(Heatmap, blocksOfUnevenSizes) {
  std::vector<float> values(14 * 14);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 14) / 13;
  for (const int size : {224, 100}) {
    const Image map = heatmap(values, 14, 14, {0, 1}, ColorMap::Gray, size, size, false);
    std::array<int, 14> widths{};
    for (int x = 0; x < size; ++x)
      ++widths.at(static_cast<std::size_t>(std::lround(pixel(map, x, 5)[0] / 255.0 * 13)));
    for (const int width : widths)
      EXPECT_NEAR(width, size / 14.0, 1);
  }
}

TEST(Heatmap, smoothMeetsTheCellsAtTheirCentersAndStaysInRange) {
  const std::vector<float> values{0, 0.2f, 0.4f, 0.6f, 0.8f, 1, 0.3f, 0.5f, 0.7f};
  const Image map = heatmap(values, 3, 3, {0, 1}, ColorMap::Gray, 303, 303, true);
  for (int row = 0; row < 3; ++row)
    for (int col = 0; col < 3; ++col)
      EXPECT_NEAR(pixel(map, 50 + 101 * col, 50 + 101 * row)[0],
                  255 * values[static_cast<std::size_t>(row * 3 + col)], 2);
  std::set<int> levels;
  for (int x = 0; x < 303; ++x)
    levels.insert(pixel(map, x, 150)[0]);
  EXPECT_GT(levels.size(), 60u);  // a ramp, not three blocks
}

TEST(Heatmap, aConstantMapIsTheMiddleOfTheMap) {
  const Image map = heatmap({2, 2}, 1, 2, {2, 2}, ColorMap::Diverging, 4, 4, false);
  EXPECT_EQ(pixel(map, 0, 0), (Color{247, 247, 247}));
}

TEST(Heatmap, nanIsShownAsGrayBlocks) {
  const Image map = heatmap({std::nanf(""), 1}, 1, 2, {0, 1}, ColorMap::Viridis, 4, 2, false);
  EXPECT_EQ(pixel(map, 0, 0), (Color{128, 128, 128}));
  EXPECT_EQ(pixel(map, 3, 0), colorOf(ColorMap::Viridis, 1));
}

TEST(Heatmap, refusesSizesThatDoNotFit) {
  EXPECT_THROW(heatmap({1, 2, 3}, 2, 2, {}, ColorMap::Jet, 8, 8, true), Failure);
  EXPECT_THROW(heatmap({1}, 1, 1, {}, ColorMap::Jet, 0, 8, true), Failure);
  EXPECT_THROW(overlay(Image{}, {1}, 1, 1, {}, ColorMap::Jet, 0.5, true), Failure);
}

TEST(Overlay, mixesByOpacity) {
  const Image image = test::pattern(40, 30);
  const std::vector<float> values{0, 0.25f, 0.5f, 0.75f, 1, 0};
  for (const bool smooth : {false, true}) {
    const Image map = heatmap(values, 2, 3, {0, 1}, ColorMap::Turbo, 40, 30, smooth);
    for (const double opacity : {0.0, 0.37, 1.0}) {
      const Image mixed = overlay(image, values, 2, 3, {0, 1}, ColorMap::Turbo, opacity, smooth);
      for (std::size_t i = 0; i < mixed.pixels->size(); ++i)
        ASSERT_NEAR((*mixed.pixels)[i],
                    (1 - opacity) * (*image.pixels)[i] + opacity * (*map.pixels)[i], 0.51);
    }
  }
}

}  // namespace
}  // namespace headlight
