// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/FeatureColors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

constexpr int kChannels = 3;

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  double share(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

bool isEdge(int patch, const Grid& grid) {
  const int row = patch / grid.cols, col = patch % grid.cols;
  return row == 0 || col == 0 || row == grid.rows - 1 || col == grid.cols - 1;
}

/// How many patches of each side lie anywhere, and along the edge.
struct Sides {
  std::array<double, 2> all{}, edge{};
  double edgeShare(int side) const { return all[side] > 0 ? edge[side] / all[side] : 1; }
};

}  // namespace

std::vector<float> colorsOfScores(const std::vector<double>& scores, int count,
                                  const std::vector<char>& shown) {
  const std::size_t rows = count > 0 ? scores.size() / count : 0;
  const std::size_t patches = shown.empty() ? rows : shown.size();
  std::vector<float> colors(patches * kChannels, std::numeric_limits<float>::quiet_NaN());
  std::array<Extent, kChannels> extents;
  for (std::size_t i = 0; i < rows; ++i)
    for (int c = 0; c < std::min(count, kChannels); ++c) {
      extents[c].low = std::min(extents[c].low, scores[i * count + c]);
      extents[c].high = std::max(extents[c].high, scores[i * count + c]);
    }
  std::size_t row = 0;
  for (std::size_t p = 0; p < patches; ++p) {
    if (!shown.empty() && !shown[p]) continue;
    for (int c = 0; c < kChannels; ++c)
      colors[p * kChannels + c] =
          c < count ? static_cast<float>(extents[c].share(scores[row * count + c])) : 0.0f;
    ++row;
  }
  return colors;
}

std::vector<char> splitForeground(const std::vector<double>& scores, int count,
                                  const std::vector<Grid>& grids) {
  Sides sides;
  std::vector<char> above;
  std::size_t next = 0;
  for (const Grid& grid : grids)
    for (int p = 0; p < grid.patches(); ++p) {
      const int side = count > 0 && scores[next++ * count] > 0 ? 1 : 0;
      above.push_back(static_cast<char>(side));
      ++sides.all[side];
      if (isEdge(p, grid)) ++sides.edge[side];
    }
  if (sides.edgeShare(1) <= sides.edgeShare(0)) return above;
  for (char& patch : above)
    patch = patch ? 0 : 1;
  return above;
}

}  // namespace headlight
