// SPDX-License-Identifier: GPL-3.0-or-later

// Mean attention by offset, beside loops over every pair of patches.

#include "core/analysis/RelativeMap.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/Result.h"

namespace headlight {
namespace {

LayerMaps randomLayer(const Grid& grid, int heads, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(-1, 1);
  auto values = std::make_shared<std::vector<float>>(static_cast<std::size_t>(heads) *
                                                     grid.tokens() * grid.tokens());
  for (float& value : *values)
    value = draw(random);
  LayerMaps maps;
  maps.heads = heads;
  maps.grid = grid;
  maps.values = values;
  return maps;
}

/// Of pairs of patches that are so far apart.
double naiveMean(const std::vector<LayerMaps>& images, int head, int deltaRow, int deltaCol) {
  double sum = 0;
  int count = 0;
  for (const LayerMaps& maps : images) {
    const Grid& grid = maps.grid;
    for (int n = 0; n < grid.patches(); ++n)
      for (int m = 0; m < grid.patches(); ++m)
        if (m / grid.cols - n / grid.cols == deltaRow &&
            m % grid.cols - n % grid.cols == deltaCol) {
          sum += maps.row(head, grid.prefix + n)[grid.prefix + m];
          ++count;
        }
  }
  return sum / count;
}

TEST(RelativeMap, IsTheMeanOverQueriesAndImages) {
  for (const Grid& grid : {Grid{3, 4, 2}, Grid{1, 5, 0}, Grid{4, 1, 1}, Grid{1, 1, 1}}) {
    const std::vector<LayerMaps> images{randomLayer(grid, 2, 1), randomLayer(grid, 2, 2),
                                        randomLayer(grid, 2, 3)};
    RelativeMeans sums;
    for (const LayerMaps& maps : images)
      sums.add(maps);
    const RelativeLayer means = sums.means();
    ASSERT_EQ(means.values.size(),
              static_cast<std::size_t>(2 * (2 * grid.rows - 1) * (2 * grid.cols - 1)));
    for (int h = 0; h < 2; ++h)
      for (int dr = 1 - grid.rows; dr < grid.rows; ++dr)
        for (int dc = 1 - grid.cols; dc < grid.cols; ++dc) {
          EXPECT_NEAR(means.at(h, dr, dc), naiveMean(images, h, dr, dc), 1e-12);
          EXPECT_EQ(means.ofHead(h)[(dr + grid.rows - 1) * means.cols() + dc + grid.cols - 1],
                    static_cast<float>(means.at(h, dr, dc)));
        }
  }
}

/// A head that looks at its right neighbor alone.
TEST(RelativeMap, ShowsWhereAHeadLooks) {
  const Grid grid{3, 3, 1};
  auto values = std::make_shared<std::vector<float>>(100, 0.0f);
  for (int n = 0; n < 9; ++n)
    if (n % 3 < 2) (*values)[static_cast<std::size_t>((n + 1) * 10 + n + 2)] = 1;
  LayerMaps maps;
  maps.heads = 1;
  maps.grid = grid;
  maps.values = values;
  RelativeMeans sums;
  sums.add(maps);
  const RelativeLayer means = sums.means();
  for (int dr = -2; dr <= 2; ++dr)
    for (int dc = -2; dc <= 2; ++dc)
      EXPECT_EQ(means.at(0, dr, dc), dr == 0 && dc == 1 ? 1.0 : 0.0) << dr << " " << dc;
}

TEST(RelativeMap, RefusesWhatCannotBeAveraged) {
  RelativeMeans sums;
  EXPECT_TRUE(sums.means().values.empty());
  sums.add(randomLayer({3, 3, 1}, 2, 1));
  EXPECT_THROW(sums.add(randomLayer({3, 2, 1}, 2, 1)), Failure);
  EXPECT_THROW(sums.add(randomLayer({3, 3, 1}, 1, 1)), Failure);
  LayerMaps windows = randomLayer({3, 3, 1}, 2, 1);
  windows.windows = std::make_shared<const WindowPlaces>();
  EXPECT_THROW(sums.add(windows), Failure);
}

}  // namespace
}  // namespace headlight
