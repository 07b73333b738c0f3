// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/PatchOutline.h"

#include <cstddef>

namespace headlight {
namespace {

class Patches {
 public:
  Patches(const std::vector<std::uint8_t>& inside, int rows, int cols)
      : m_inside(inside), m_rows(rows), m_cols(cols) {}

  bool has(int row, int col) const {
    return row >= 0 && row < m_rows && col >= 0 && col < m_cols &&
           m_inside[static_cast<std::size_t>(row) * m_cols + col] != 0;
  }
  /// Whether a border lies above a patch, which may be one beyond the last.
  bool hasBorderAbove(int row, int col) const { return has(row - 1, col) != has(row, col); }
  bool hasBorderLeft(int row, int col) const { return has(row, col - 1) != has(row, col); }

 private:
  const std::vector<std::uint8_t>& m_inside;
  int m_rows, m_cols;
};

/// Calls add(first, last) for every run of places from 0 to `count` where `isBorder` holds.
template <typename IsBorder, typename Add>
void forEachRun(int count, IsBorder isBorder, Add add) {
  for (int at = 0; at < count; ++at) {
    if (!isBorder(at)) continue;
    const int first = at;
    while (at < count && isBorder(at))
      ++at;
    add(first, at);
  }
}

}  // namespace

std::vector<PatchEdge> patchOutline(const std::vector<std::uint8_t>& inside, int rows, int cols) {
  std::vector<PatchEdge> edges;
  if (rows <= 0 || cols <= 0 || inside.size() != static_cast<std::size_t>(rows) * cols)
    return edges;
  const Patches patches(inside, rows, cols);
  for (int row = 0; row <= rows; ++row)
    forEachRun(
        cols, [&](int col) { return patches.hasBorderAbove(row, col); },
        [&](int first, int last) {
          edges.push_back({row, first, row, last});
        });
  for (int col = 0; col <= cols; ++col)
    forEachRun(
        rows, [&](int row) { return patches.hasBorderLeft(row, col); },
        [&](int first, int last) {
          edges.push_back({first, col, last, col});
        });
  return edges;
}

}  // namespace headlight
