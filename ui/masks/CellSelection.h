// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which cells of the matrix are selected, and where the keyboard stands. A plain value: who changes
// it tells others.

#include <optional>
#include <set>
#include <vector>

#include "ui/masks/MatrixPlace.h"

namespace headlight {

class CellSelection {
 public:
  /// Sets the existing cells. True if a selected cell no longer exists.
  bool setHeads(std::vector<int> headsPerLayer);
  const std::vector<int>& heads() const { return m_heads; }

  std::vector<HeadPlace> cells() const { return {m_cells.begin(), m_cells.end()}; }
  bool isEmpty() const { return m_cells.empty(); }
  bool contains(const HeadPlace& cell) const { return m_cells.contains(cell); }
  bool contains(const std::vector<HeadPlace>& cells) const;
  /// The cell of the keyboard: arrows move from there.
  const std::optional<HeadPlace>& current() const { return m_current; }

  /// These, but for cells that do not exist; the current one stays if it is among them, else it
  /// becomes the first.
  void select(const std::vector<HeadPlace>& cells);
  void selectAll() { select(cellsOf(MatrixPlace::corner(), m_heads)); }
  /// These, which exist; the first becomes the current one.
  void selectFrom(const std::vector<HeadPlace>& cells);
  /// Adds them, or takes them away where all are selected.
  void toggle(const std::vector<HeadPlace>& cells);
  void setCurrent(const HeadPlace& cell) { m_current = cell; }

  /// The rectangle from the anchor, where the selection began, to `cell`.
  void extendTo(const HeadPlace& cell);
  /// The same over whole rows or columns; the corner selects all.
  void extendTo(const MatrixPlace& place);
  /// To the neighbor, at most to the edge; selects the first cell where none is current.
  void move(int layers, int heads, bool extend);

 private:
  std::vector<int> m_heads;
  std::set<HeadPlace> m_cells;
  std::optional<HeadPlace> m_current, m_anchor;
};

}  // namespace headlight
