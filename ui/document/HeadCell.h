#pragma once
// The place of a head.

#include <compare>
#include <utility>
#include <vector>

namespace headlight {

struct HeadCell {
  int layer = 0, head = 0;
  auto operator<=>(const HeadCell&) const = default;
};

/// As core/masks takes them.
inline std::vector<std::pair<int, int>> asPairs(const std::vector<HeadCell>& cells) {
  std::vector<std::pair<int, int>> pairs;
  for (const HeadCell& cell : cells)
    pairs.emplace_back(cell.layer, cell.head);
  return pairs;
}

}  // namespace headlight
