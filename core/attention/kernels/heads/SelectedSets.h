// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The keys that each query of a masked head selects, as compressed rows: what the linear-time
// kernel walks instead of a T × T matrix.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

/// L(n), the keys that patch row n selects, for every n; prefix rows select everything and have
/// none here.
struct SelectedSets {
  std::int64_t tokens = 0, prefix = 0;
  std::vector<std::int32_t> rowStart;  ///< [T + 1], into `columns`
  std::vector<std::int32_t> columns;   ///< selected keys, ascending in each row, prefix first
  // The same turned round: for each key, the rows that select it and where in `columns` they do.
  std::vector<std::int32_t> columnStart;  ///< [T + 1], into `rows` and `positions`
  std::vector<std::int32_t> rows, positions;

  std::int64_t size() const { return static_cast<std::int64_t>(columns.size()); }
};

/// The R × R neighborhood on `grid`.
std::shared_ptr<const SelectedSets> neighborhoodSets(const Grid& grid, int window);
/// Where a [T, T] matrix of bytes is not 0 (random masks).
std::shared_ptr<const SelectedSets> selectedSets(const Grid& grid, const std::uint8_t* mask);

}  // namespace headlight
