// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/HeadStatistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/Rollout.h"

namespace headlight {
namespace {

/// Pixels between patches that lie so many rows and columns apart, [rows × cols].
std::vector<double> distancesOn(const Grid& grid, const PatchPitch& pitch) {
  std::vector<double> distances;
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.cols; ++c)
      distances.push_back(std::hypot(r * pitch.rows, c * pitch.cols));
  return distances;
}

double rowEntropy(const float* row, int tokens) {
  double sum = 0;
  for (int j = 0; j < tokens; ++j)
    if (row[j] > 0) sum -= row[j] * std::log(static_cast<double>(row[j]));
  return sum;
}

/// The mean distance from patch `query` to the patches that `weights` names; NaN where they are 0.
double meanDistance(int query, const float* weights, const Grid& grid,
                    const std::vector<double>& distances) {
  const int row = query / grid.cols, col = query % grid.cols;
  double sum = 0, total = 0;
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.cols; ++c) {
      const double weight = weights[r * grid.cols + c];
      total += weight;
      sum += weight * distances[std::abs(r - row) * grid.cols + std::abs(c - col)];
    }
  return total > 0 ? sum / total : std::numeric_limits<double>::quiet_NaN();
}

/// Adds the shares that one query gives to every token.
void addShares(std::vector<double>& received, const float* row) {
  constexpr double kLeastSum = 1e-12;
  double sum = 0;
  for (std::size_t k = 0; k < received.size(); ++k)
    sum += std::abs(static_cast<double>(row[k]));
  for (std::size_t k = 0; k < received.size(); ++k)
    received[k] += std::abs(static_cast<double>(row[k])) / std::max(sum, kLeastSum);
}

/// How many places of a line of this length are at most one from place `i`, itself included.
int beside(int i, int length) {
  return std::min(i + 1, length - 1) - std::max(i - 1, 0) + 1;
}

}  // namespace

std::vector<PatchPitch> patchPitches(const std::vector<Grid>& layers, int inputHeight,
                                     int inputWidth) {
  std::vector<PatchPitch> pitches;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const Grid& grid = layers[l];
    if (l == 0) {
      pitches.push_back({static_cast<double>(inputHeight) / grid.rows,
                         static_cast<double>(inputWidth) / grid.cols});
      continue;
    }
    const Grid& before = layers[l - 1];
    const auto stride = [](int from, int to) { return (from + to - 1) / to; };
    pitches.push_back({pitches.back().rows * stride(before.rows, grid.rows),
                       pitches.back().cols * stride(before.cols, grid.cols)});
  }
  return pitches;
}

std::vector<float> attentionEntropies(const LayerMaps& maps) {
  const int tokens = maps.tokens();
  const double most = tokens > 1 ? std::log(static_cast<double>(tokens)) : 1.0;
  std::vector<float> entropies;
  for (int h = 0; h < maps.heads; ++h) {
    const std::vector<float> map = stochasticMap(maps, h);
    double sum = 0;
    for (int i = 0; i < tokens; ++i)
      sum += rowEntropy(map.data() + static_cast<std::size_t>(i) * tokens, tokens);
    entropies.push_back(static_cast<float>(sum / tokens / most));
  }
  return entropies;
}

std::vector<float> attentionDistances(const LayerMaps& maps, const PatchPitch& pitch) {
  const Grid& grid = maps.grid;
  const std::vector<double> distances = distancesOn(grid, pitch);
  std::vector<float> means;
  for (int h = 0; h < maps.heads; ++h) {
    const std::vector<float> map = stochasticMap(maps, h);
    double sum = 0;
    int counted = 0;
    for (int i = 0; i < grid.patches(); ++i) {
      const auto row = static_cast<std::size_t>(grid.prefix + i) * grid.tokens() + grid.prefix;
      const double distance = meanDistance(i, map.data() + row, grid, distances);
      if (std::isnan(distance)) continue;
      sum += distance;
      ++counted;
    }
    means.push_back(counted > 0 ? static_cast<float>(sum / counted)
                                : std::numeric_limits<float>::quiet_NaN());
  }
  return means;
}

std::vector<float> attentionSinks(const LayerMaps& maps) {
  const int tokens = maps.tokens(), patches = maps.grid.patches();
  std::vector<float> sinks;
  for (int h = 0; h < maps.heads; ++h) {
    const MapNumbers map = maps.head(h);
    std::vector<double> received(static_cast<std::size_t>(tokens), 0.0);
    for (int i = maps.grid.prefix; i < tokens; ++i)
      addShares(received, map.begin() + static_cast<std::size_t>(i) * tokens);
    const double most = *std::max_element(received.begin(), received.end());
    sinks.push_back(patches > 0 ? static_cast<float>(most / patches)
                                : std::numeric_limits<float>::quiet_NaN());
  }
  return sinks;
}

double uniformSink(const Grid& grid) {
  return 1.0 / grid.tokens();
}

double uniformLocality(const Grid& grid) {
  // Neighbors of all patches: a product, since rows and columns count apart.
  double rows = 0, cols = 0;
  for (int r = 0; r < grid.rows; ++r)
    rows += beside(r, grid.rows);
  for (int c = 0; c < grid.cols; ++c)
    cols += beside(c, grid.cols);
  return rows * cols / grid.patches() / grid.tokens();
}

double uniformEntropy(const Grid& grid) {
  return grid.tokens() > 1 ? 1.0 : 0.0;
}

double uniformDistance(const Grid& grid, const PatchPitch& pitch) {
  const std::vector<float> everywhere(grid.patches(), 1.0f);
  const std::vector<double> distances = distancesOn(grid, pitch);
  double sum = 0;
  for (int i = 0; i < grid.patches(); ++i)
    sum += meanDistance(i, everywhere.data(), grid, distances);
  return sum / grid.patches();
}

}  // namespace headlight
