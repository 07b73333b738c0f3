// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/CellSelection.h"

#include <algorithm>

namespace headlight {

bool CellSelection::setHeads(std::vector<int> headsPerLayer) {
  m_heads = std::move(headsPerLayer);
  const auto gone = [this](const HeadPlace& cell) { return !exists(cell, m_heads); };
  if (m_current && gone(*m_current)) m_current.reset();
  if (m_anchor && gone(*m_anchor)) m_anchor.reset();
  return std::erase_if(m_cells, gone) > 0;
}

bool CellSelection::contains(const std::vector<HeadPlace>& cells) const {
  return std::all_of(cells.begin(), cells.end(),
                     [this](const HeadPlace& cell) { return contains(cell); });
}

void CellSelection::select(const std::vector<HeadPlace>& cells) {
  m_cells.clear();
  for (const HeadPlace& cell : cells)
    if (exists(cell, m_heads)) m_cells.insert(cell);
  if (!m_cells.empty() && !(m_current && contains(*m_current)))
    m_current = m_anchor = *m_cells.begin();
}

void CellSelection::selectFrom(const std::vector<HeadPlace>& cells) {
  m_cells = {cells.begin(), cells.end()};
  m_current = m_anchor = cells.front();
}

void CellSelection::toggle(const std::vector<HeadPlace>& cells) {
  if (contains(cells)) {
    for (const HeadPlace& cell : cells)
      m_cells.erase(cell);
  } else {
    m_cells.insert(cells.begin(), cells.end());
  }
  m_current = m_anchor = cells.front();
}

void CellSelection::extendTo(const HeadPlace& cell) {
  if (!m_anchor) return selectFrom({cell});
  m_cells.clear();
  const auto [top, bottom] = std::minmax(m_anchor->layer, cell.layer);
  const auto [left, right] = std::minmax(m_anchor->head, cell.head);
  for (int layer = top; layer <= bottom; ++layer)
    for (int head = left; head <= right; ++head)
      if (exists({layer, head}, m_heads)) m_cells.insert({layer, head});
  m_current = cell;
}

void CellSelection::extendTo(const MatrixPlace& place) {
  const auto cells = cellsOf(place, m_heads);
  if (cells.empty()) return;
  const HeadPlace anchor = m_anchor.value_or(cells.front());
  switch (place.part) {
    case MatrixPlace::Part::Corner:
      return selectAll();
    case MatrixPlace::Part::Row:
      m_anchor = HeadPlace{anchor.layer, 0};
      break;
    case MatrixPlace::Part::Column:
      m_anchor = HeadPlace{0, anchor.head};
      break;
    default:
      break;
  }
  extendTo(cells.back());
}

void CellSelection::move(int layers, int heads, bool extend) {
  if (m_heads.empty()) return;
  HeadPlace cell;
  if (m_current) {
    cell.layer = std::clamp(m_current->layer + layers, 0, static_cast<int>(m_heads.size()) - 1);
    const int last = std::max(0, m_heads[static_cast<std::size_t>(cell.layer)] - 1);
    cell.head = std::clamp(m_current->head + heads, 0, last);
  }
  if (extend)
    extendTo(cell);
  else
    selectFrom({cell});
}

}  // namespace headlight
