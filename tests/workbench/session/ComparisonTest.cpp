// SPDX-License-Identifier: GPL-3.0-or-later

// Two maps side by side: which token is which, and how far apart the maps are.

#include "core/workbench/session/PredictionComparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headlight {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

TEST(CorrespondingToken, IsTheSameOnTheSameGrid) {
  const Grid grid{3, 5, 2};
  for (int token = 0; token < grid.tokens(); ++token)
    EXPECT_EQ(correspondingToken(token, grid, grid), token);
}

TEST(CorrespondingToken, LiesWhereItLayInTheImage) {
  const Grid coarse{2, 2, 1}, fine{8, 8, 0};
  EXPECT_EQ(correspondingToken(1, coarse, fine), 2 * 8 + 2);
  EXPECT_EQ(correspondingToken(4, coarse, fine), 6 * 8 + 6);
  for (int patch = 0; patch < fine.patches(); ++patch) {
    const int row = patch / 8 / 4, col = patch % 8 / 4;
    EXPECT_EQ(correspondingToken(patch, fine, coarse), 1 + row * 2 + col);
  }
}

TEST(CorrespondingToken, OfAMissingPrefixTokenIsTheMiddle) {
  EXPECT_EQ(correspondingToken(0, {4, 4, 1}, {4, 4, 0}), 2 * 4 + 2);
  EXPECT_EQ(correspondingToken(1, {4, 4, 2}, {3, 3, 1}), 1 + 1 * 3 + 1);
  EXPECT_EQ(correspondingToken(0, {4, 4, 2}, {3, 3, 1}), 0);
}

TEST(MapDifference, IsRightMinusLeft) {
  const Grid grid{2, 2, 1};
  const auto difference =
      mapDifference({0.5f, 0.25f, 0.25f, 0}, grid, {0.25f, 0.25f, 0.5f, 0}, grid);
  ASSERT_TRUE(difference.ok());
  EXPECT_EQ(difference->values, (std::vector<float>{-0.25f, 0, 0.25f, 0}));
  EXPECT_EQ(difference->most, -0.25f);
  EXPECT_EQ(difference->mostAt, 0);
  EXPECT_DOUBLE_EQ(difference->mean, 0.125);
  EXPECT_DOUBLE_EQ(difference->cosine, (0.125 + 0.0625 + 0.125) / 0.375);
  EXPECT_EQ(difference->range.low, -0.25f);
  EXPECT_EQ(difference->range.high, 0.25f);
  EXPECT_EQ(describeDifference(*difference, grid), "maximum -0.25 at patch (0, 0), mean 0.125");
}

TEST(MapDifference, LeavesOutWhatOneOfThemDoesNotSee) {
  const Grid grid{1, 3, 0};
  const auto difference = mapDifference({1, kNone, 2}, grid, {1, 5, 4}, grid);
  ASSERT_TRUE(difference.ok());
  EXPECT_TRUE(std::isnan(difference->values[1]));
  EXPECT_EQ(difference->most, 2);
  EXPECT_DOUBLE_EQ(difference->mean, 1);
  EXPECT_DOUBLE_EQ(difference->cosine, 9 / std::sqrt(5.0 * 17));
}

TEST(MapDifference, OfEqualMapsIsNone) {
  const Grid grid{1, 2, 1};
  const auto difference = mapDifference({0.5f, 0.25f}, grid, {0.5f, 0.25f}, grid);
  ASSERT_TRUE(difference.ok());
  EXPECT_DOUBLE_EQ(difference->cosine, 1);
  EXPECT_EQ(describeDifference(*difference, grid), "no difference");
}

TEST(MapDifference, IsRefusedOnDifferentGrids) {
  const auto difference = mapDifference({1, 2, 3, 4}, {2, 2, 0}, {1, 2, 3, 4}, {1, 4, 0});
  ASSERT_FALSE(difference.ok());
  EXPECT_NE(difference.error().text().find("2 x 2 and 1 x 4"), std::string::npos);
}

}  // namespace
}  // namespace headlight
