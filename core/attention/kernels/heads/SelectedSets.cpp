// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/heads/SelectedSets.h"

#include <algorithm>

namespace headlight {
namespace {

std::shared_ptr<SelectedSets> emptySets(const Grid& grid) {
  auto sets = std::make_shared<SelectedSets>();
  sets->tokens = grid.tokens();
  sets->prefix = grid.prefix;
  sets->rowStart.assign(grid.prefix + 1, 0);
  return sets;
}

void turn(SelectedSets& sets) {
  sets.columnStart.assign(sets.tokens + 1, 0);
  for (const std::int32_t column : sets.columns)
    ++sets.columnStart[column + 1];
  for (std::int64_t j = 0; j < sets.tokens; ++j)
    sets.columnStart[j + 1] += sets.columnStart[j];
  sets.rows.resize(sets.columns.size());
  sets.positions.resize(sets.columns.size());
  std::vector<std::int32_t> next(sets.columnStart.begin(), sets.columnStart.end() - 1);
  for (std::int64_t n = 0; n < sets.tokens; ++n)
    for (std::int32_t e = sets.rowStart[n]; e < sets.rowStart[n + 1]; ++e) {
      const std::int32_t at = next[sets.columns[e]]++;
      sets.rows[at] = static_cast<std::int32_t>(n);
      sets.positions[at] = e;
    }
}

}  // namespace

std::shared_ptr<const SelectedSets> neighborhoodSets(const Grid& grid, int window) {
  auto sets = emptySets(grid);
  const int reach = (window - 1) / 2;
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.cols; ++c) {
      for (int p = 0; p < grid.prefix; ++p)
        sets->columns.push_back(p);
      for (int y = std::max(0, r - reach); y <= std::min(grid.rows - 1, r + reach); ++y)
        for (int x = std::max(0, c - reach); x <= std::min(grid.cols - 1, c + reach); ++x)
          sets->columns.push_back(grid.prefix + y * grid.cols + x);
      sets->rowStart.push_back(static_cast<std::int32_t>(sets->columns.size()));
    }
  turn(*sets);
  return sets;
}

std::shared_ptr<const SelectedSets> selectedSets(const Grid& grid, const std::uint8_t* mask) {
  auto sets = emptySets(grid);
  const std::int64_t tokens = grid.tokens();
  for (std::int64_t n = grid.prefix; n < tokens; ++n) {
    for (std::int64_t j = 0; j < tokens; ++j)
      if (mask[n * tokens + j]) sets->columns.push_back(static_cast<std::int32_t>(j));
    sets->rowStart.push_back(static_cast<std::int32_t>(sets->columns.size()));
  }
  turn(*sets);
  return sets;
}

}  // namespace headlight
