// How maps are drawn, whoever draws them.

#include <gtest/gtest.h>

#include <cmath>

#include "core/workbench/MapView.h"

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

TEST(MapView, OneScaleSpansWhatTheTokenSeesInEveryHead) {
  AttentionMaps maps = smallMaps();
  const Grid model = maps.layers[0].grid;
  EXPECT_EQ(sharedRange(maps, model, 0).low, 0.5);
  EXPECT_EQ(sharedRange(maps, model, 0).high, 3);
  maps.isSigned = true;
  EXPECT_EQ(sharedRange(maps, model, 0).low, -3);
  EXPECT_EQ(drawnColors(maps.isSigned, ColorMap::Turbo), ColorMap::Diverging);
  maps.isSigned = false;
  EXPECT_EQ(drawnColors(maps.isSigned, ColorMap::Turbo), ColorMap::Turbo);
}

TEST(MapView, TokensHaveNames) {
  const Grid grid{.rows = 3, .cols = 4, .prefix = 2};
  EXPECT_EQ(tokenText(0, grid), "class token");
  EXPECT_EQ(tokenText(1, grid), "distillation token");
  EXPECT_EQ(tokenText(2 + 4 + 3, grid), "patch (1, 3)");
}

}  // namespace
}  // namespace headlight
