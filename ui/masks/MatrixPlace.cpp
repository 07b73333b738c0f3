// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/MatrixPlace.h"

namespace headlight {

bool MatrixPlace::covers(const HeadPlace& at) const {
  return part != Part::Nothing && (layer < 0 || layer == at.layer) && (head < 0 || head == at.head);
}

bool exists(const HeadPlace& cell, const std::vector<int>& heads) {
  return cell.layer >= 0 && cell.layer < static_cast<int>(heads.size()) && cell.head >= 0 &&
         cell.head < heads[static_cast<std::size_t>(cell.layer)];
}

std::vector<HeadPlace> cellsOf(const MatrixPlace& place, const std::vector<int>& heads) {
  std::vector<HeadPlace> cells;
  for (int layer = 0; layer < static_cast<int>(heads.size()); ++layer)
    for (int head = 0; head < heads[static_cast<std::size_t>(layer)]; ++head)
      if (place.covers({layer, head})) cells.push_back({layer, head});
  return cells;
}

}  // namespace headlight
