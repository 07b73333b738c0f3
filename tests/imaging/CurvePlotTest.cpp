// SPDX-License-Identifier: GPL-3.0-or-later

// Curves with few points: ticks against those counted by hand, and that points and deviations are
// where they should be.

#include "core/imaging/drawing/CurvePlot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

TEST(CurvePlot, TicksAreRoundAndHoldTheRange) {
  const auto fifths = roundTicks(0, 1, 5);
  ASSERT_EQ(fifths.size(), 6u);
  for (std::size_t i = 0; i < fifths.size(); ++i)
    EXPECT_NEAR(fifths[i], 0.2 * static_cast<double>(i), 1e-12);
  EXPECT_EQ(roundTicks(-3, 7, 10), (std::vector<double>{-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7}));
  const std::vector<std::pair<double, double>> ranges = {
      {0.123, 0.127}, {-1e9, 3e9}, {99.2, 99.9}, {-5, -4}};
  for (const auto& [low, high] : ranges) {
    const auto ticks = roundTicks(low, high, 8);
    ASSERT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 11u);
    EXPECT_LE(ticks.front(), low + 1e-9 * std::abs(low));
    EXPECT_GE(ticks.back(), high - 1e-9 * std::abs(high));
  }
}

std::vector<const DrawnLine*> dotsOf(const Drawing& drawing) {
  std::vector<const DrawnLine*> dots;
  for (const DrawnLine& line : drawing.lines)
    if (line.points.size() == 1) dots.push_back(&line);
  return dots;
}

bool hasText(const Drawing& drawing, const std::string& text) {
  return std::any_of(drawing.texts.begin(), drawing.texts.end(),
                     [&](const DrawnText& one) { return one.text == text; });
}

TEST(CurvePlot, PointsHaveDotsAndDeviations) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Drawing drawing =
      drawCurves({{"one", {10, 11}, {50, 60}, {2, none}}}, {"%", "key", {}, true});
  const auto dots = dotsOf(drawing);
  ASSERT_EQ(dots.size(), 2u);
  const auto [x0, y0] = dots[0]->points[0];
  const auto [x1, y1] = dots[1]->points[0];
  EXPECT_LT(x0, x1);
  EXPECT_GT(y0, y1) << "more is higher up";
  // Its own range along x: the points are near the sides, not all at the right.
  EXPECT_LT(x0 - 66, 40);
  // The bar of the one deviation stands over its dot, two points below and above it.
  const double perPoint = (y0 - y1) / 10;
  int bars = 0;
  for (const DrawnLine& line : drawing.lines) {
    if (line.points.size() != 2 || line.points[0].first != x0 || line.points[1].first != x0)
      continue;
    const double low = line.points[0].second, high = line.points[1].second;
    if (std::abs(low - high - 4 * perPoint) > 1e-6) continue;
    EXPECT_NEAR((low + high) / 2, y0, 1e-6);
    ++bars;
  }
  EXPECT_EQ(bars, 1);
}

TEST(CurvePlot, KeysMayBeNames) {
  const Drawing drawing =
      drawCurves({{"one", {0, 1}, {1, 2}, {}}}, {"loss", "scheme", {"none", "sch1"}, true});
  EXPECT_TRUE(hasText(drawing, "none") && hasText(drawing, "sch1"));
  EXPECT_FALSE(hasText(drawing, "0.5"));
  EXPECT_TRUE(hasText(drawing, "scheme") && hasText(drawing, "loss"));
}

TEST(CurvePlot, AReferenceIsInSightAndZeroIsTheEnd) {
  CurveTitles titles{"quantity", "axis", {"a", "b"}, true};
  titles.reference = 11.111;
  titles.referenceName = "chance";
  const std::vector<PlottedCurve> curves{{"line", {0, 1}, {70, 80}, {}, false}};
  const Drawing drawing = drawCurves(curves, titles);
  const auto text = [](const Drawing& drawn, const std::string& wanted) {
    return std::find_if(drawn.texts.begin(), drawn.texts.end(),
                        [&](const DrawnText& one) { return one.text == wanted; });
  };
  ASSERT_NE(text(drawing, "chance 11.1"), drawing.texts.end());
  EXPECT_LT(text(drawing, "chance 11.1")->y, 352);  // within the frame
  titles.reference = 0;
  titles.referenceName.clear();
  const Drawing fromZero = drawCurves(curves, titles);
  ASSERT_NE(text(fromZero, "0"), fromZero.texts.end());
  EXPECT_NEAR(text(fromZero, "0")->y, 352 + 4, 1);  // at the axis
}

TEST(CurvePlot, OnePointOrNoneIsDrawnToo) {
  EXPECT_EQ(dotsOf(drawCurves({{"", {5}, {0}, {}}}, {"", "", {}, true})).size(), 1u);
  EXPECT_TRUE(dotsOf(drawCurves({}, {"", "", {}, true})).empty());
}

}  // namespace
}  // namespace headlight
