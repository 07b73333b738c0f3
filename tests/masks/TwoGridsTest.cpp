// SPDX-License-Identifier: GPL-3.0-or-later

// Neighborhoods where keys lie on a grid of their own, against the definition by overlap.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/masks/Neighborhood.h"

namespace headlight {
namespace {

/// The distance, in key cells, from the nearest key cell that overlaps the query cell: in units of
/// 1/(queries·keys) a query cell is `keys` long and a key cell `queries`.
int distance(int query, int key, int queries, int keys) {
  int nearest = queries + keys;
  for (int k = 0; k < keys; ++k) {
    const bool overlaps =
        std::max(query * keys, k * queries) < std::min((query + 1) * keys, (k + 1) * queries);
    if (overlaps) nearest = std::min(nearest, std::abs(k - key));
  }
  return nearest;
}

TEST(TwoGrids, TheNeighborhoodFollowsItsDefinition) {
  const std::vector<std::pair<Grid, Grid>> cases{{{8, 8, 0}, {2, 2, 0}}, {{8, 4, 0}, {4, 2, 0}},
                                                 {{4, 4, 0}, {8, 8, 0}}, {{7, 5, 0}, {4, 3, 0}},
                                                 {{6, 6, 1}, {3, 2, 1}}, {{3, 5, 2}, {3, 5, 2}}};
  for (const auto& [queries, keys] : cases)
    for (const int window : {1, 3, 5}) {
      const auto mask = neighborhoodMask(queries, keys, window);
      ASSERT_EQ(mask.size(), static_cast<std::size_t>(queries.tokens()) * keys.tokens());
      for (int i = 0; i < queries.tokens(); ++i)
        for (int j = 0; j < keys.tokens(); ++j) {
          const int a = i - queries.prefix, b = j - keys.prefix;
          const bool expected =
              a < 0 || b < 0 ||
              std::max(distance(a / queries.cols, b / keys.cols, queries.rows, keys.rows),
                       distance(a % queries.cols, b % keys.cols, queries.cols, keys.cols)) <=
                  (window - 1) / 2;
          ASSERT_EQ(mask[i * keys.tokens() + j], expected)
              << queries.rows << "/" << keys.rows << " R=" << window << ": " << i << " " << j;
        }
    }
}

TEST(TwoGrids, AWindowOfOneIsTheCellThatAPatchLiesIn) {
  const auto mask = neighborhoodMask({4, 4, 0}, {2, 2, 0}, 1);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(mask[i * 4 + j], j == i / 8 * 2 + i % 4 / 2);
}

TEST(TwoGrids, EqualGridsAreTheSquareCase) {
  const Grid grid{5, 7, 1};
  EXPECT_EQ(neighborhoodMask(grid, grid, 3), neighborhoodMask(grid, 3));
  EXPECT_EQ(randomMask(grid, grid, 3, 9), randomMask(grid, 3, 9));
}

TEST(TwoGrids, RandomMasksHaveAsManyOnes) {
  const Grid queries{6, 8, 0}, keys{3, 2, 0};
  const auto local = neighborhoodMask(queries, keys, 3), drawn = randomMask(queries, keys, 3, 4);
  EXPECT_NE(local, drawn);
  for (int i = 0; i < queries.tokens(); ++i) {
    const auto begin = i * keys.tokens(), end = begin + keys.tokens();
    EXPECT_EQ(std::accumulate(drawn.begin() + begin, drawn.begin() + end, 0),
              std::accumulate(local.begin() + begin, local.begin() + end, 0));
  }
}

}  // namespace
}  // namespace headlight
