// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/Neighborhood.h"

#include <algorithm>
#include <numeric>

#include "core/base/Random.h"

namespace headlight {
namespace {

using Row = std::vector<std::uint8_t>;

struct Span {
  int first, last;
  int length() const { return last - first + 1; }
};

/// Key cells in the window of a query patch.
struct Window {
  Span rows, cols;
};

/// The cells of `keys` along one axis that cell `index` of `queries` covers or lies in, and `reach`
/// more on both sides.
Span cellsAround(int index, int queries, int keys, int reach) {
  const int first = index * keys / queries;
  const int last = ((index + 1) * keys + queries - 1) / queries - 1;
  return {std::max(0, first - reach), std::min(keys - 1, last + reach)};
}

Window windowAround(int patch, const Grid& queries, const Grid& keys, int window) {
  const int reach = (window - 1) / 2;
  return {cellsAround(patch / queries.cols, queries.rows, keys.rows, reach),
          cellsAround(patch % queries.cols, queries.cols, keys.cols, reach)};
}

/// A row of a patch that sees the prefix tokens alone.
Row prefixAlone(const Grid& keys) {
  Row row(static_cast<std::size_t>(keys.tokens()), 0);
  std::fill_n(row.begin(), keys.prefix, std::uint8_t{1});
  return row;
}

/// [Tq, Tk] of the rows that makeRow(token) gives.
template <typename MakeRow>
std::vector<std::uint8_t> matrixOfRows(const Grid& queries, const Grid& keys, MakeRow makeRow) {
  std::vector<std::uint8_t> matrix;
  matrix.reserve(static_cast<std::size_t>(queries.tokens()) * keys.tokens());
  for (int token = 0; token < queries.tokens(); ++token) {
    const Row row = makeRow(token);
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  return matrix;
}

}  // namespace

std::vector<std::uint8_t> neighborhoodRow(const Grid& queries, const Grid& keys, int window,
                                          int token) {
  const int patch = token - queries.prefix;
  if (patch < 0) return Row(static_cast<std::size_t>(keys.tokens()), 1);
  Row row = prefixAlone(keys);
  const Window near = windowAround(patch, queries, keys, window);
  for (int r = near.rows.first; r <= near.rows.last; ++r)
    std::fill_n(row.begin() + keys.prefix + r * keys.cols + near.cols.first, near.cols.length(),
                std::uint8_t{1});
  return row;
}

std::vector<std::uint8_t> neighborhoodMask(const Grid& grid, int window) {
  return neighborhoodMask(grid, grid, window);
}

std::vector<std::uint8_t> neighborhoodMask(const Grid& queries, const Grid& keys, int window) {
  return matrixOfRows(queries, keys,
                      [&](int token) { return neighborhoodRow(queries, keys, window, token); });
}

std::vector<std::uint8_t> randomRow(const Grid& queries, const Grid& keys, int window,
                                    std::uint64_t seed, int token) {
  const int patch = token - queries.prefix;
  if (patch < 0) return Row(static_cast<std::size_t>(keys.tokens()), 1);
  Row row = prefixAlone(keys);
  const Window near = windowAround(patch, queries, keys, window);
  std::vector<int> columns(static_cast<std::size_t>(keys.patches()));
  std::iota(columns.begin(), columns.end(), 0);
  RandomStream stream(streamKey({seed, static_cast<std::uint64_t>(token)}));
  const auto prefix = static_cast<std::size_t>(keys.prefix);
  for (int i = 0; i < near.rows.length() * near.cols.length(); ++i) {
    std::swap(columns[i], columns[i + stream.below(keys.patches() - i)]);
    row[prefix + static_cast<std::size_t>(columns[i])] = 1;
  }
  return row;
}

std::vector<std::uint8_t> randomMask(const Grid& grid, int window, std::uint64_t seed) {
  return randomMask(grid, grid, window, seed);
}

std::vector<std::uint8_t> randomMask(const Grid& queries, const Grid& keys, int window,
                                     std::uint64_t seed) {
  return matrixOfRows(queries, keys,
                      [&](int token) { return randomRow(queries, keys, window, seed, token); });
}

std::uint64_t randomMaskSeed(std::uint64_t seed, int layer, int head) {
  return seed * 1000003u + layer * 1009u + head;
}

}  // namespace headlight
