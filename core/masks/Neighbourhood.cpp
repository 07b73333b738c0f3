#include "core/masks/Neighbourhood.h"

#include <algorithm>
#include <numeric>

#include "core/base/Random.h"

namespace headlight {
namespace {

/// Calls visit(tokenRow, firstRow, lastRow, firstCol, lastCol) with the window of every patch.
template <typename Visit>
void forEachWindow(const Grid& grid, int window, Visit visit) {
  const int reach = (window - 1) / 2;
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.cols; ++c)
      visit(grid.prefix + r * grid.cols + c, std::max(0, r - reach),
            std::min(grid.rows - 1, r + reach), std::max(0, c - reach),
            std::min(grid.cols - 1, c + reach));
}

std::vector<std::uint8_t> prefixOnly(const Grid& grid) {
  const std::size_t tokens = grid.tokens();
  std::vector<std::uint8_t> mask(tokens * tokens, 0);
  std::fill_n(mask.begin(), grid.prefix * tokens, std::uint8_t{1});
  for (std::size_t row = grid.prefix; row < tokens; ++row)
    std::fill_n(mask.begin() + row * tokens, grid.prefix, std::uint8_t{1});
  return mask;
}

}  // namespace

std::vector<std::uint8_t> neighbourhoodMask(const Grid& grid, int window) {
  auto mask = prefixOnly(grid);
  const std::size_t tokens = grid.tokens();
  forEachWindow(grid, window, [&](int row, int top, int bottom, int left, int right) {
    for (int r = top; r <= bottom; ++r) {
      auto* begin = mask.data() + row * tokens + grid.prefix + r * grid.cols;
      std::fill(begin + left, begin + right + 1, std::uint8_t{1});
    }
  });
  return mask;
}

std::vector<std::uint8_t> randomMask(const Grid& grid, int window, std::uint64_t seed) {
  auto mask = prefixOnly(grid);
  const std::size_t tokens = grid.tokens();
  std::vector<int> columns(grid.patches());
  forEachWindow(grid, window, [&](int row, int top, int bottom, int left, int right) {
    const int ones = (bottom - top + 1) * (right - left + 1);
    std::iota(columns.begin(), columns.end(), 0);
    RandomStream stream(streamKey({seed, static_cast<std::uint64_t>(row)}));
    for (int i = 0; i < ones; ++i) {
      std::swap(columns[i], columns[i + stream.below(grid.patches() - i)]);
      mask[row * tokens + grid.prefix + columns[i]] = 1;
    }
  });
  return mask;
}

}  // namespace headlight
