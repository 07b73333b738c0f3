// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The positions of the matrix's cells and headers. Plain arithmetic, in the viewport's coordinates;
// headers stay where they are while the cells scroll beneath them.

#include <QFontMetrics>
#include <QPoint>
#include <QRect>
#include <QSize>

#include <vector>

#include "ui/masks/MatrixPlace.h"

namespace headlight {

class MatrixLayout {
 public:
  /// Cells as large as the viewport has room for, between the smallest that can be read and the
  /// largest that look well.
  /// `thumbnails`: larger ones, where there is room, with a small map in each.
  void fit(const std::vector<int>& headsPerLayer, const QSize& viewport,
           const QFontMetrics& metrics, bool thumbnails = false);
  void setScroll(const QPoint& scroll) { m_scroll = scroll; }

  const QSize& cellSize() const { return m_cell; }
  /// Of the square at the left of each cell for a small map; 0: there is no room for it.
  int thumbnailSide() const { return m_thumbnailSide; }
  int rowHeaderWidth() const { return m_rowHeaderWidth; }
  int columnHeaderHeight() const { return m_columnHeaderHeight; }
  int layers() const { return static_cast<int>(m_heads.size()); }
  int heads() const;  ///< of the layer that has most
  /// The size of all cells, without the headers.
  QSize content() const { return {heads() * m_cell.width(), layers() * m_cell.height()}; }
  QSize preferredSize() const;
  QSize smallestSize() const;

  /// Empty where there is no such cell or layer.
  QRect cellRect(const HeadPlace& cell) const;
  QRect rowHeaderRect(int layer) const;
  QRect columnHeaderRect(int head) const;
  QRect cornerRect() const { return {0, 0, m_rowHeaderWidth, m_columnHeaderHeight}; }
  /// Nothing where there is no cell or header.
  MatrixPlace placeAt(const QPoint& position) const;
  /// The way of a mouse that jumps over cells: after `from`, in steps shorter than a cell, to `to`.
  std::vector<QPoint> wayBetween(const QPoint& from, const QPoint& to) const;

 private:
  std::vector<int> m_heads;
  QPoint m_scroll;
  QSize m_cell{48, 30};
  int m_thumbnailSide = 0;
  int m_rowHeaderWidth = 34;
  int m_columnHeaderHeight = 22;
};

}  // namespace headlight
