// SPDX-License-Identifier: GPL-3.0-or-later

// How explanations that are no heatmap are drawn.

#include "core/workbench/attribution/ExplanationImages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headlight {
namespace {

TEST(ExplanationImages, BackgroundIsDarkAndColorsAreWhatTheyAre) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Image image = featuresImage({{1, 2, 1}, {1, 0, 0.5f, nan, nan, nan}}, 4, 2, false);
  ASSERT_EQ(image.width, 4);
  ASSERT_EQ(image.height, 2);
  const std::uint8_t* row = image.row(1);
  EXPECT_EQ((std::vector<int>{row[0], row[1], row[2]}), (std::vector<int>{255, 0, 128}));
  EXPECT_EQ(row[9], row[10]);
  EXPECT_LT(row[9], 64);
}

TEST(ExplanationImages, VarianceIsSaidByColor) {
  FeatureColors colors;
  colors.shares = {0.414, 0.2, 0.05};
  EXPECT_EQ(varianceText(colors), "red 41 %, green 20 %, blue 5 % of the variance");
}

DepthPrediction threeLayers() {
  DepthPrediction depth;
  depth.probabilities = {{}, {0.5f, 0.3f, 0.2f}, {0.1f, 0.8f, 0.1f}};
  depth.top = {{}, {{0, "a", 0.5f}, {1, "b", 0.3f}}, {{1, "b", 0.8f}, {0, "a", 0.1f}}};
  return depth;
}

TEST(ExplanationImages, DepthHasTheLastLayersBestClassesAndTheChosenOne) {
  ModelInfo info;
  info.classNames = {"a", "b", "c"};
  const auto curves = depthCurves(threeLayers(), info, 2, 2);
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_EQ(curves[0].name, "b");
  EXPECT_EQ(curves[2].name, "c");
  EXPECT_EQ(curves[0].keys, (std::vector<double>{1, 2}));  // the head does not fit layer 0
  EXPECT_NEAR(curves[0].values[1], 0.8, 1e-6);
  EXPECT_EQ(findClassName(ModelInfo(), 7), "class 7");
}

}  // namespace
}  // namespace headlight
