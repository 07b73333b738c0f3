// SPDX-License-Identifier: GPL-3.0-or-later

// Entropy, distance and their chance against loops written from the definitions.

#include <gtest/gtest.h>

#include <cmath>

#include "core/analysis/HeadStatistics.h"
#include "core/base/Random.h"

namespace headlight {
namespace {

/// Entries e^normal; with `signedValues` about 0. Rows are not normalized.
LayerMaps drawnMaps(int heads, const Grid& grid, std::uint64_t seed, bool signedValues) {
  RandomStream stream(seed);
  std::vector<float> values;
  for (int i = 0; i < heads * grid.tokens() * grid.tokens(); ++i) {
    const double drawn = stream.normal();
    values.push_back(static_cast<float>(signedValues ? drawn : std::exp(drawn)));
  }
  return {heads, grid, std::make_shared<const std::vector<float>>(values)};
}

LayerMaps uniformMaps(const Grid& grid) {
  const auto pairs = static_cast<std::size_t>(grid.tokens()) * grid.tokens();
  return {
      1, grid,
      std::make_shared<const std::vector<float>>(pairs, 1.0f / static_cast<float>(grid.tokens()))};
}

/// Row `query` of a head clamped at 0 and normalized, over all tokens or over patches alone.
std::vector<double> naiveRow(const LayerMaps& maps, int head, int query, int from) {
  std::vector<double> row;
  double sum = 0;
  for (int j = from; j < maps.tokens(); ++j)
    sum += row.emplace_back(std::max(0.0, double{maps.row(head, query)[j]}));
  for (double& weight : row)
    weight /= sum;
  return row;
}

double naiveEntropy(const LayerMaps& maps, int head) {
  double mean = 0;
  for (int i = 0; i < maps.tokens(); ++i)
    for (const double a : naiveRow(maps, head, i, 0))
      if (a > 0) mean -= a * std::log(a);
  return mean / maps.tokens() / std::log(maps.tokens());
}

double naiveDistance(const LayerMaps& maps, int head, double down, double right) {
  const Grid& grid = maps.grid;
  double mean = 0;
  for (int i = 0; i < grid.patches(); ++i) {
    const auto row = naiveRow(maps, head, grid.prefix + i, grid.prefix);
    for (int j = 0; j < grid.patches(); ++j) {
      const double dy = (j / grid.cols - i / grid.cols) * down,
                   dx = (j % grid.cols - i % grid.cols) * right;
      mean += row[j] * std::sqrt(dy * dy + dx * dx);
    }
  }
  return mean / grid.patches();
}

TEST(HeadStatistics, EntropyAndDistanceAreTheirDefinitions) {
  for (const Grid grid : {Grid{4, 4, 1}, Grid{3, 5, 0}, Grid{2, 7, 2}})
    for (const bool isSigned : {false, true}) {
      const LayerMaps maps = drawnMaps(3, grid, 7 + grid.cols, isSigned);
      const auto entropies = attentionEntropies(maps);
      const auto distances = attentionDistances(maps, {16, 8});
      ASSERT_EQ(entropies.size(), 3u);
      ASSERT_EQ(distances.size(), 3u);
      for (int h = 0; h < 3; ++h) {
        EXPECT_NEAR(entropies[h], naiveEntropy(maps, h), 1e-6);
        EXPECT_NEAR(distances[h], naiveDistance(maps, h, 16, 8), 1e-4);
      }
    }
}

TEST(HeadStatistics, ChanceIsWhatUniformMapsHave) {
  for (const Grid grid : {Grid{14, 14, 1}, Grid{7, 7, 0}, Grid{3, 5, 2}, Grid{1, 4, 1}}) {
    const LayerMaps uniform = uniformMaps(grid);
    EXPECT_NEAR(uniformLocality(grid), localityScores(uniform)[0], 1e-6);
    EXPECT_NEAR(uniformEntropy(grid), attentionEntropies(uniform)[0], 1e-6);
    EXPECT_NEAR(uniformDistance(grid, {16, 16}), attentionDistances(uniform, {16, 16})[0], 1e-3);
  }
  EXPECT_NEAR(uniformLocality({14, 14, 1}), 1600.0 / 196 / 197, 1e-12);
}

TEST(HeadStatistics, AQueryThatLooksAtNoPatchHasNoDistance) {
  const Grid grid{2, 2, 1};
  std::vector<float> values(25, 0.0f);
  for (int i = 0; i < 5; ++i)
    values[i * 5] = 1;  // everybody looks at the class token
  LayerMaps maps{1, grid, std::make_shared<const std::vector<float>>(values)};
  EXPECT_TRUE(std::isnan(attentionDistances(maps, {16, 16})[0]));
  EXPECT_EQ(attentionEntropies(maps)[0], 0);
  values[2 * 5 + 2] = 1;  // but for one patch, which looks at its right neighbor as well
  values[2 * 5 + 1] = 1;
  maps.values = std::make_shared<const std::vector<float>>(values);
  EXPECT_FLOAT_EQ(attentionDistances(maps, {16, 16})[0], 8);
}

TEST(HeadStatistics, PitchFollowsTheStages) {
  const auto pitches =
      patchPitches({{14, 14, 0}, {14, 14, 0}, {7, 7, 0}, {4, 4, 0}, {4, 4, 1}}, 224, 224);
  ASSERT_EQ(pitches.size(), 5u);
  EXPECT_EQ(pitches[0].rows, 16);
  EXPECT_EQ(pitches[1].cols, 16);
  EXPECT_EQ(pitches[2].rows, 32);
  EXPECT_EQ(pitches[3].rows, 64);  // 7 rows halve to 4: every second one stays
  EXPECT_EQ(pitches[4].cols, 64);
  EXPECT_EQ(patchPitches({{4, 8, 1}}, 64, 64)[0].cols, 8);
}

}  // namespace
}  // namespace headlight
