// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/Neighbourhood.h"

#include <algorithm>
#include <numeric>

#include "core/base/Random.h"

namespace headlight {
namespace {

struct Span {
  int first, last;
};

/// The cells of `keys` along one axis that cell `index` of `queries` covers or lies in, and `reach`
/// more on both sides.
Span cellsAround(int index, int queries, int keys, int reach) {
  const int first = index * keys / queries;
  const int last = ((index + 1) * keys + queries - 1) / queries - 1;
  return {std::max(0, first - reach), std::min(keys - 1, last + reach)};
}

/// Calls visit(tokenRow, rows, cols) with the key cells in the window of every query patch.
template <typename Visit>
void forEachWindow(const Grid& queries, const Grid& keys, int window, Visit visit) {
  const int reach = (window - 1) / 2;
  for (int r = 0; r < queries.rows; ++r)
    for (int c = 0; c < queries.cols; ++c)
      visit(queries.prefix + r * queries.cols + c, cellsAround(r, queries.rows, keys.rows, reach),
            cellsAround(c, queries.cols, keys.cols, reach));
}

std::vector<std::uint8_t> prefixOnly(const Grid& queries, const Grid& keys) {
  const std::size_t rows = queries.tokens(), columns = keys.tokens();
  std::vector<std::uint8_t> mask(rows * columns, 0);
  std::fill_n(mask.begin(), queries.prefix * columns, std::uint8_t{1});
  for (std::size_t row = queries.prefix; row < rows; ++row)
    std::fill_n(mask.begin() + row * columns, keys.prefix, std::uint8_t{1});
  return mask;
}

}  // namespace

std::vector<std::uint8_t> neighbourhoodMask(const Grid& grid, int window) {
  return neighbourhoodMask(grid, grid, window);
}

std::vector<std::uint8_t> neighbourhoodMask(const Grid& queries, const Grid& keys, int window) {
  auto mask = prefixOnly(queries, keys);
  const std::size_t columns = keys.tokens();
  forEachWindow(queries, keys, window, [&](int row, Span rows, Span cols) {
    for (int r = rows.first; r <= rows.last; ++r) {
      auto* begin = mask.data() + row * columns + keys.prefix + r * keys.cols;
      std::fill(begin + cols.first, begin + cols.last + 1, std::uint8_t{1});
    }
  });
  return mask;
}

std::vector<std::uint8_t> randomMask(const Grid& grid, int window, std::uint64_t seed) {
  return randomMask(grid, grid, window, seed);
}

std::vector<std::uint8_t> randomMask(const Grid& queries, const Grid& keys, int window,
                                     std::uint64_t seed) {
  auto mask = prefixOnly(queries, keys);
  const std::size_t width = keys.tokens();
  std::vector<int> columns(keys.patches());
  forEachWindow(queries, keys, window, [&](int row, Span rows, Span cols) {
    const int ones = (rows.last - rows.first + 1) * (cols.last - cols.first + 1);
    std::iota(columns.begin(), columns.end(), 0);
    RandomStream stream(streamKey({seed, static_cast<std::uint64_t>(row)}));
    for (int i = 0; i < ones; ++i) {
      std::swap(columns[i], columns[i + stream.below(keys.patches() - i)]);
      mask[row * width + keys.prefix + columns[i]] = 1;
    }
  });
  return mask;
}

}  // namespace headlight
