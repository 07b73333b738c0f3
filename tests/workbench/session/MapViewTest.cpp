// SPDX-License-Identifier: GPL-3.0-or-later

// How maps are drawn, whoever draws them.

#include <gtest/gtest.h>

#include <cmath>

#include "core/workbench/session/MapRendering.h"

namespace headlight {
namespace {

/// Two heads over a class token and 1 × 2 patches; patch values of head h as seen by token 0:
/// h and 1 + h, but for NaN in one place.
AttentionMaps smallMaps() {
  LayerMaps layer;
  layer.heads = 2;
  layer.grid = {.rows = 1, .cols = 2, .prefix = 1};
  auto values = std::make_shared<std::vector<float>>(2 * 3 * 3, 100.0f);
  const float first[] = {9, 0.5f, 1}, second[] = {9, NAN, 3};
  std::copy(first, first + 3, values->begin());
  std::copy(second, second + 3, values->begin() + 9);
  layer.values = values;
  AttentionMaps maps;
  maps.layers = {layer, LayerMaps{}};
  return maps;
}

TEST(MapRendering, OneScaleSpansWhatTheTokenSeesInEveryHead) {
  const AttentionMaps maps = smallMaps();
  const ValueRange range = valueRange(seenInAllHeads(maps, maps.layers[0].grid, 0));
  EXPECT_EQ(range.low, 0.5);
  EXPECT_EQ(range.high, 3);
}

TEST(MapRendering, DivergingColorsOnlyWhereNegativesMatter) {
  const std::vector<float> hardly{-0.01f, 1, 1, 1}, much{-1, 1, 1, 1};
  const DrawnMap sequential = drawnMap(hardly, true, MapStyle::Overlay, ColorMap::Turbo);
  EXPECT_EQ(sequential.colorMap, ColorMap::Turbo);
  EXPECT_EQ(sequential.note, "0.332 % negative");
  const DrawnMap diverging = drawnMap(much, true, MapStyle::Headlight, ColorMap::Turbo);
  EXPECT_EQ(diverging.style, MapStyle::Overlay);
  EXPECT_EQ(diverging.colorMap, ColorMap::Diverging);
  EXPECT_EQ(diverging.range.low, -1);
  EXPECT_EQ(diverging.note, "25 % negative");
  EXPECT_EQ(drawnMap(much, false, MapStyle::Overlay, ColorMap::Turbo).colorMap, ColorMap::Turbo);
}

TEST(MapRendering, OnePatchThatOutshinesAllOthersDoesNotDarkenThem) {
  std::vector<float> values(100, 0.5f);
  for (std::size_t i = 0; i < 60; ++i)
    values[i] = 0.01f * static_cast<float>(i) / 60;
  values[99] = 40;
  const DrawnMap lit = drawnMap(values, false, MapStyle::Headlight, ColorMap::Turbo);
  EXPECT_EQ(lit.range.high, 0.5);
  EXPECT_EQ(lit.note, "brightest from the 98th percentile on, maximum 40");
  EXPECT_EQ(drawnMap(values, false, MapStyle::Overlay, ColorMap::Turbo).range.high, 40);
}

TEST(MapRendering, PracticallyUniformMapsAreFlatAndCalledSo) {
  std::vector<float> values(20, 0.05f);
  values[3] = 0.05f * 0.91f;  // within the tolerance of 10 %
  EXPECT_TRUE(isPracticallyUniform(values));
  for (const MapStyle style : {MapStyle::Headlight, MapStyle::Overlay}) {
    const DrawnMap drawn = drawnMap(values, false, style, ColorMap::Turbo);
    EXPECT_EQ(drawn.style, style);
    EXPECT_NE(drawn.note.find("practically uniform (values within 10 %)"), std::string::npos);
    EXPECT_EQ(drawn.range.low, 0);
    for (const double value : values)  // all within 5 % of the middle of the scale
      EXPECT_NEAR(value / drawn.range.high, 0.5, 0.05);
  }
  values[3] = 0.05f * 0.89f;
  EXPECT_FALSE(isPracticallyUniform(values));
  EXPECT_EQ(drawnMap(values, false, MapStyle::Overlay, ColorMap::Turbo).range.low, values[3]);
}

TEST(MapRendering, UniformIsSaidOfOneMapAmongThoseThatShareAScale) {
  const DrawnMap shared = drawnMap({0.01f, 0.5f, 0.2f}, false, MapStyle::Overlay, ColorMap::Turbo);
  EXPECT_EQ(shared.note, "");
  const DrawnMap flat = drawnOn(shared, {0.1f, 0.1f, 0.1f});
  EXPECT_EQ(flat.note, uniformText());
  EXPECT_EQ(flat.range, shared.range);
  EXPECT_EQ(drawnOn(flat, {0.1f, 0.1f, 0.1f}).note, uniformText());  // once
  EXPECT_EQ(drawnOn(shared, {0.1f, 0.2f}).note, "");
}

TEST(MapRendering, ZerosOppositesAndGapsAreJudgedByTheirValues) {
  EXPECT_TRUE(isPracticallyUniform({0, 0, 0}));
  EXPECT_TRUE(isPracticallyUniform({-1, -0.99f, NAN}));
  EXPECT_FALSE(isPracticallyUniform({-1, 1}));
  EXPECT_FALSE(isPracticallyUniform({NAN, NAN}));
  EXPECT_FALSE(isPracticallyUniform({1}));
  const DrawnMap below = drawnMap({-1, -1}, true, MapStyle::Overlay, ColorMap::Turbo);
  EXPECT_EQ(below.colorMap, ColorMap::Diverging);
  EXPECT_EQ(below.range, (ValueRange{-1, 1}));
}

TEST(MapRendering, TokensHaveNames) {
  const Grid grid{.rows = 3, .cols = 4, .prefix = 2};
  EXPECT_EQ(tokenText(0, grid), "class token");
  EXPECT_EQ(tokenText(1, grid), "distillation token");
  EXPECT_EQ(tokenText(2 + 4 + 3, grid), "patch (1, 3)");
}

}  // namespace
}  // namespace headlight
