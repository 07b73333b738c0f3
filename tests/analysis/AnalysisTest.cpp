// SPDX-License-Identifier: GPL-3.0-or-later

// ALS, rollout and similarity against naive double-precision loops written from the papers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/AttentionMaps.h"
#include "core/analysis/Rollout.h"
#include "core/base/Random.h"

namespace headlight {
namespace {

using Matrix = std::vector<std::vector<double>>;

AttentionMaps randomMaps(int layers, int heads, Grid grid, std::uint64_t seed) {
  AttentionMaps maps;
  RandomStream stream(seed);
  const int tokens = grid.tokens();
  for (int l = 0; l < layers; ++l) {
    std::vector<float> values;
    for (int row = 0; row < heads * tokens; ++row) {
      std::vector<double> weights;
      double sum = 0;
      for (int j = 0; j < tokens; ++j)
        sum += weights.emplace_back(std::exp(stream.normal()));
      for (const double w : weights)
        values.push_back(static_cast<float>(w / sum));
    }
    maps.layers.push_back({heads, grid, std::make_shared<const std::vector<float>>(values)});
  }
  return maps;
}

Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(a.size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.size(); ++j)
      for (std::size_t k = 0; k < a.size(); ++k)
        c[i][j] += a[i][k] * b[k][j];
  return c;
}

std::vector<double> naiveRollout(const AttentionMaps& maps, const RolloutOptions& options) {
  const Grid grid = maps.layers[0].grid;
  const int tokens = grid.tokens();
  Matrix product;
  for (const auto& layer : maps.layers) {
    Matrix a(tokens, std::vector<double>(tokens));
    std::vector<std::pair<double, int>> all;
    for (int i = 0; i < tokens; ++i)
      for (int j = 0; j < tokens; ++j) {
        double fused = layer.row(0, i)[j];
        for (int h = 1; h < layer.heads; ++h) {
          const double value = layer.row(h, i)[j];
          fused = options.fusion == HeadFusion::Mean  ? fused + value
                  : options.fusion == HeadFusion::Max ? std::max(fused, value)
                                                      : std::min(fused, value);
        }
        a[i][j] = options.fusion == HeadFusion::Mean ? fused / layer.heads : fused;
        all.emplace_back(a[i][j], i * tokens + j);
      }
    std::sort(all.begin(), all.end());
    for (int k = 0; k < static_cast<int>(options.discardRatio * tokens * tokens); ++k)
      if (grid.prefix == 0 || all[k].second % tokens != 0)
        a[all[k].second / tokens][all[k].second % tokens] = 0;
    for (int i = 0; i < tokens; ++i) {
      a[i][i] += 1;
      double sum = 0;
      for (const double x : a[i])
        sum += x;
      for (double& x : a[i])
        x /= sum;
    }
    product = product.empty() ? a : multiply(a, product);
  }
  std::vector<double> result(grid.patches(), 0.0);
  for (int j = 0; j < grid.patches(); ++j) {
    if (grid.prefix > 0)
      result[j] = product[0][grid.prefix + j];
    else
      for (int i = 0; i < tokens; ++i)
        result[j] += product[i][j] / tokens;
  }
  return result;
}

TEST(Rollout, EqualsTheNaiveProduct) {
  for (const Grid grid : {Grid{3, 4, 1}, Grid{4, 4, 0}, Grid{2, 5, 2}})
    for (const HeadFusion fusion : {HeadFusion::Mean, HeadFusion::Max, HeadFusion::Min})
      for (const double discard : {0.0, 0.5, 0.9}) {
        const auto maps = randomMaps(4, 3, grid, 9);
        const RolloutOptions options{fusion, discard};
        const auto got = rollout(maps, options);
        ASSERT_TRUE(got.ok());
        const auto expected = naiveRollout(maps, options);
        ASSERT_EQ(got->size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR((*got)[i], expected[i], 1e-6);
      }
}

/// The product of (normalized A + I) with a matrix that averages merged rows in between, in full.
std::vector<double> naiveStagedRollout(const AttentionMaps& maps) {
  const auto& first = maps.layers.front();
  std::vector<std::vector<double>> product(first.tokens(), std::vector<double>(first.tokens(), 0));
  for (int i = 0; i < first.tokens(); ++i)
    product[i][i] = 1;
  Grid grid = first.grid;
  for (const auto& layer : maps.layers) {
    if (!(layer.grid == grid)) {
      std::vector<std::vector<double>> merged(layer.tokens(),
                                              std::vector<double>(first.tokens(), 0));
      for (int r = 0; r < layer.grid.rows; ++r)
        for (int c = 0; c < layer.grid.cols; ++c) {
          int count = 0;
          auto& row = merged[layer.grid.prefix + r * layer.grid.cols + c];
          const int step = layer.grid.rows == grid.rows ? 1 : 2;
          for (int y = step * r; y < std::min(step * r + step, grid.rows); ++y)
            for (int x = step * c; x < std::min(step * c + step, grid.cols); ++x, ++count)
              for (std::size_t k = 0; k < row.size(); ++k)
                row[k] += product[grid.prefix + y * grid.cols + x][k];
          for (double& value : row)
            value /= count;
        }
      product = merged;
      grid = layer.grid;
    }
    const int tokens = layer.tokens();
    std::vector<std::vector<double>> next(tokens, std::vector<double>(first.tokens(), 0));
    for (int i = 0; i < tokens; ++i) {
      std::vector<double> row(tokens, 0);
      double sum = 0;
      for (int j = 0; j < tokens; ++j) {
        for (int h = 0; h < layer.heads; ++h)
          row[j] += double{layer.row(h, i)[j]} / layer.heads;
        row[j] += i == j;
        sum += row[j];
      }
      for (int j = 0; j < tokens; ++j)
        for (std::size_t k = 0; k < next[i].size(); ++k)
          next[i][k] += row[j] / sum * product[j][k];
    }
    product = next;
  }
  std::vector<double> result(first.grid.patches(), 0);
  for (int j = 0; j < first.grid.patches(); ++j)
    for (int i = 0; i < grid.tokens(); ++i)
      result[j] += grid.prefix > 0 ? (i == 0) * product[i][j] : product[i][j] / grid.tokens();
  return result;
}

// Signed and unbounded maps: "each is clamped at 0 and its rows normalized".
TEST(Rollout, ClampsAndNormalizesTheMapsOfOtherMechanisms) {
  const Grid grid{2, 3, 1};
  AttentionMaps maps, stochastic;
  RandomStream stream(11);
  const int tokens = grid.tokens();
  for (int l = 0; l < 3; ++l) {
    std::vector<float> values, clamped;
    for (int row = 0; row < 2 * tokens; ++row) {
      std::vector<double> weights;
      for (int j = 0; j < tokens; ++j)
        weights.push_back(row == 3 ? -1.0 : 5 * stream.normal());  // a row of nothing positive too
      double sum = 0;
      for (const double w : weights)
        sum += w > 0 ? w : 0;
      for (const double w : weights) {
        values.push_back(static_cast<float>(w));
        clamped.push_back(w > 0 ? static_cast<float>(w / sum) : 0.0f);
      }
    }
    maps.layers.push_back({2, grid, std::make_shared<const std::vector<float>>(values)});
    stochastic.layers.push_back({2, grid, std::make_shared<const std::vector<float>>(clamped)});
  }
  for (const auto fusion : {HeadFusion::Mean, HeadFusion::Max, HeadFusion::Min}) {
    const auto got = rollout(maps, {fusion, 0.0});
    ASSERT_TRUE(got.ok());
    const auto expected = naiveRollout(stochastic, {fusion, 0.0});
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR((*got)[i], expected[i], 1e-6) << i;
  }
}

TEST(Rollout, SaysWhatItFirstDoesToMaps) {
  EXPECT_EQ(rolloutPreparation(false, true), "");  // softmax maps are as it wants them
  EXPECT_EQ(rolloutPreparation(true, false), "signed maps clamped at 0, rows normalized");
  EXPECT_EQ(rolloutPreparation(false, false), "rows of each map normalized");
}

TEST(Rollout, AveragesTheRowsThatMergingJoins) {
  for (const auto& [rows, cols] : {std::pair{4, 6}, std::pair{5, 7}}) {  // odd sides are padded
    AttentionMaps maps = randomMaps(2, 2, {rows, cols, 0}, 3);
    const auto coarse = randomMaps(2, 3, {(rows + 1) / 2, (cols + 1) / 2, 0}, 4);
    maps.layers.insert(maps.layers.end(), coarse.layers.begin(), coarse.layers.end());
    const auto got = rollout(maps, {});
    ASSERT_TRUE(got.ok()) << got.error().text();
    const auto expected = naiveStagedRollout(maps);
    ASSERT_EQ(got->size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR((*got)[i], expected[i], 1e-6);
  }
}

TEST(Rollout, FollowsAClassTokenThatJoinsLate) {
  AttentionMaps maps = randomMaps(2, 2, {3, 4, 0}, 5);
  const auto late = randomMaps(2, 2, {3, 4, 1}, 6);
  maps.layers.insert(maps.layers.end(), late.layers.begin(), late.layers.end());
  const auto got = rollout(maps, {});
  ASSERT_TRUE(got.ok()) << got.error().text();
  const auto expected = naiveStagedRollout(maps);  // a row that was not there is a row of zeros
  ASSERT_EQ(got->size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR((*got)[i], expected[i], 1e-6);
}

TEST(LayerSimilarity, OfAllHeadsAtOnceIsThatOfEach) {
  AttentionMaps maps = randomMaps(2, 3, {3, 3, 1}, 9);
  maps.layers.push_back(randomMaps(1, 2, {3, 3, 1}, 10).layers[0]);  // a head less
  const auto all = similarities(maps);
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 4u);
  EXPECT_EQ((*all)[0], *computeSimilarity(maps, -1));
  for (int h = 0; h < 3; ++h)
    EXPECT_EQ((*all)[static_cast<std::size_t>(h) + 1], *layerSimilarity(maps, h));
  // Layers 0 and 2 have two heads in common.
  EXPECT_NEAR((*all)[0][2], ((*all)[1][2] + (*all)[2][2]) / 2, 1e-6);
  EXPECT_EQ((*all)[3][2], 0);
  maps.layers[1] = {};
  EXPECT_FALSE(similarities(maps).ok());
}

TEST(LayerSimilarity, SaysNothingAcrossGrids) {
  AttentionMaps maps = randomMaps(1, 1, {4, 4, 0}, 5);
  maps.layers.push_back(randomMaps(1, 1, {2, 2, 0}, 6).layers[0]);
  const auto got = layerSimilarity(maps, 0);
  ASSERT_TRUE(got.ok());
  EXPECT_TRUE(std::isnan((*got)[1]) && std::isnan((*got)[2]));
  EXPECT_NEAR((*got)[0], 1.0, 1e-6);
}

TEST(Rollout, RefusesMissingMapsAndNonsense) {
  EXPECT_FALSE(rollout({}, {}).ok());
  auto maps = randomMaps(2, 1, {2, 2, 1}, 1);
  EXPECT_FALSE(rollout(maps, {HeadFusion::Mean, 1.0}).ok());
  EXPECT_FALSE(rollout(maps, {HeadFusion::Mean, NAN}).ok());
  maps.layers[1] = {};
  EXPECT_FALSE(rollout(maps, {}).ok());
}

TEST(LocalityScores, EqualTheirDefinition) {
  for (const Grid grid : {Grid{3, 4, 1}, Grid{5, 5, 2}, Grid{4, 3, 0}}) {
    const auto maps = randomMaps(1, 2, grid, 4);
    const auto scores = localityScores(maps.layers[0]);
    for (int h = 0; h < 2; ++h) {
      double sum = 0;
      for (int n = 0; n < grid.patches(); ++n)
        for (int i = 0; i < grid.patches(); ++i)
          if (std::abs(n / grid.cols - i / grid.cols) <= 1 &&
              std::abs(n % grid.cols - i % grid.cols) <= 1)
            sum += maps.layers[0].row(h, grid.prefix + n)[grid.prefix + i];
      EXPECT_NEAR(scores[h], sum / grid.patches(), 1e-6);
    }
  }
}

TEST(LocalityScores, AreOneForAHeadThatSeesOnlyItself) {
  const Grid grid{4, 4, 1};
  std::vector<float> identity(grid.tokens() * grid.tokens(), 0.0f);
  for (int i = 0; i < grid.tokens(); ++i)
    identity[i * grid.tokens() + i] = 1.0f;
  const LayerMaps maps{1, grid, std::make_shared<const std::vector<float>>(identity)};
  EXPECT_FLOAT_EQ(localityScores(maps)[0], 1.0f);
}

TEST(LayerSimilarity, IsTheMeanCosine) {
  const Grid grid{3, 3, 1};
  const auto maps = randomMaps(3, 2, grid, 8);
  const auto got = layerSimilarity(maps, 1);
  ASSERT_TRUE(got.ok());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (int t = 0; t < grid.tokens(); ++t) {
        double xy = 0, xx = 0, yy = 0;
        for (int k = 0; k < grid.tokens(); ++k) {
          const double x = maps.layers[i].row(1, t)[k], y = maps.layers[j].row(1, t)[k];
          xy += x * y;
          xx += x * x;
          yy += y * y;
        }
        sum += xy / (std::sqrt(xx) * std::sqrt(yy));
      }
      EXPECT_NEAR((*got)[i * 3 + j], sum / grid.tokens(), 1e-6);
    }
  EXPECT_NEAR((*got)[0], 1.0, 1e-6);
}

TEST(PatchesSeenBy, CutsOffPrefixColumnsAndAveragesHeads) {
  const auto maps = randomMaps(1, 2, {2, 3, 2}, 5);
  const auto one = patchesSeenBy(maps.layers[0], 0, 3), other = patchesSeenBy(maps.layers[0], 1, 3),
             mean = patchesSeenBy(maps.layers[0], 3);
  ASSERT_EQ(one.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(one[i], maps.layers[0].row(0, 3)[2 + i]);
    EXPECT_NEAR(mean[i], (one[i] + other[i]) / 2, 1e-7);
  }
}

}  // namespace
}  // namespace headlight
