// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/RelativeMap.h"

#include <cstdlib>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

std::size_t placeOf(const RelativeLayer& layer, int head, int deltaRow, int deltaCol) {
  const int row = deltaRow + layer.grid.rows - 1, col = deltaCol + layer.grid.cols - 1;
  return (static_cast<std::size_t>(head) * layer.rows() + row) * layer.cols() + col;
}

}  // namespace

double RelativeLayer::at(int head, int deltaRow, int deltaCol) const {
  return values[placeOf(*this, head, deltaRow, deltaCol)];
}

std::vector<float> RelativeLayer::ofHead(int head) const {
  const std::size_t size = static_cast<std::size_t>(rows()) * cols();
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(head * size);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

void RelativeMeans::add(const LayerMaps& maps) {
  if (maps.windows)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("window maps have no offsets over the whole grid"), "relative"});
  if (m_images == 0) {
    m_sums = {maps.grid, maps.heads, {}};
    m_sums.values.assign(static_cast<std::size_t>(maps.heads) * m_sums.rows() * m_sums.cols(), 0.0);
  }
  if (!(m_sums.grid == maps.grid) || m_sums.heads != maps.heads)
    throw Failure(
        {ErrorCode::InvalidArgument, tr("maps on different grids cannot be averaged"), "relative"});
  for (int h = 0; h < maps.heads; ++h)
    addHead(h, maps.head(h));
  ++m_images;
}

void RelativeMeans::addHead(int head, const MapNumbers& map) {
  const Grid& grid = m_sums.grid;
  const auto tokens = static_cast<std::size_t>(grid.tokens());
  for (int query = 0; query < grid.patches(); ++query) {
    const int row = query / grid.cols, col = query % grid.cols;
    std::size_t key = (grid.prefix + query) * tokens + grid.prefix;
    for (int r = 0; r < grid.rows; ++r) {
      double* sums = m_sums.values.data() + placeOf(m_sums, head, r - row, -col);
      for (int c = 0; c < grid.cols; ++c)
        sums[c] += map[key++];
    }
  }
}

RelativeLayer RelativeMeans::means() const {
  RelativeLayer means = m_sums;
  const Grid& grid = means.grid;
  for (int h = 0; h < means.heads; ++h)
    for (int dr = 1 - grid.rows; dr < grid.rows; ++dr)
      for (int dc = 1 - grid.cols; dc < grid.cols; ++dc) {
        const double queries =
            static_cast<double>(grid.rows - std::abs(dr)) * (grid.cols - std::abs(dc));
        means.values[placeOf(means, h, dr, dc)] /= queries * static_cast<double>(m_images);
      }
  return means;
}

}  // namespace headlight
