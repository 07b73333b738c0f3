#include "core/analysis/AttentionMaps.h"

#include <algorithm>
#include <cstdlib>

#include "core/masks/Neighbourhood.h"

namespace headlight {

std::vector<float> patchesSeenBy(const LayerMaps& maps, int head, int query) {
  const float* row = maps.row(head, query) + maps.grid.prefix;
  return {row, row + maps.grid.patches()};
}

std::vector<float> patchesSeenBy(const LayerMaps& maps, int query) {
  std::vector<float> mean(maps.grid.patches(), 0.0f);
  for (int h = 0; h < maps.heads; ++h) {
    const float* row = maps.row(h, query) + maps.grid.prefix;
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += row[i] / maps.heads;
  }
  return mean;
}

std::vector<float> localityScores(const LayerMaps& maps) {
  constexpr int kWindow = 3;  // whatever the head's own mask is
  const Grid& grid = maps.grid;
  std::vector<float> scores;
  for (int h = 0; h < maps.heads; ++h) {
    double sum = 0;
    for (int n = 0; n < grid.patches(); ++n) {
      const float* row = maps.row(h, grid.prefix + n) + grid.prefix;
      const int r = n / grid.cols, c = n % grid.cols, reach = kWindow / 2;
      for (int y = std::max(0, r - reach); y <= std::min(grid.rows - 1, r + reach); ++y)
        for (int x = std::max(0, c - reach); x <= std::min(grid.cols - 1, c + reach); ++x)
          sum += row[y * grid.cols + x];
    }
    scores.push_back(static_cast<float>(sum / grid.patches()));
  }
  return scores;
}

}  // namespace headlight
