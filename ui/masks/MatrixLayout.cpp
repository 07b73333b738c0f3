// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/MatrixLayout.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr QSize kSmallestCell{40, 24}, kLargestCell{96, 36}, kLargestWithMap{160, 84};
constexpr int kLeastThumbnail = 20, kAroundThumbnail = 8;

int fitted(int space, int count, int low, int high) {
  return count > 0 ? std::clamp(space / count, low, std::max(low, high)) : low;
}

}  // namespace

void MatrixLayout::fit(const std::vector<int>& headsPerLayer, const QSize& viewport,
                       const QFontMetrics& metrics, bool thumbnails) {
  m_heads = headsPerLayer;
  m_rowHeaderWidth = metrics.horizontalAdvance(QStringLiteral("L000")) + 10;
  m_columnHeaderHeight = metrics.height() + 6;
  const QSize room = viewport - QSize(m_rowHeaderWidth, m_columnHeaderHeight);
  const QSize smallest = kSmallestCell.expandedTo(
      {metrics.horizontalAdvance(QStringLiteral("S .00")) + 14, metrics.height() + 9});
  const QSize& largest = thumbnails ? kLargestWithMap : kLargestCell;
  m_cell = {fitted(room.width(), heads(), smallest.width(), largest.width()),
            fitted(room.height(), layers(), smallest.height(), largest.height())};
  const int side = std::min(m_cell.height(), m_cell.width() - smallest.width()) - kAroundThumbnail;
  m_thumbnailSide = thumbnails && side >= kLeastThumbnail ? side : 0;
}

int MatrixLayout::heads() const {
  return m_heads.empty() ? 0 : *std::max_element(m_heads.begin(), m_heads.end());
}

QSize MatrixLayout::preferredSize() const {
  return {m_rowHeaderWidth + 3 * 64, m_columnHeaderHeight + 12 * 30};
}

QSize MatrixLayout::smallestSize() const {
  return {m_rowHeaderWidth + 2 * kSmallestCell.width(),
          m_columnHeaderHeight + 2 * kSmallestCell.height()};
}

QRect MatrixLayout::cellRect(const HeadPlace& cell) const {
  if (!exists(cell, m_heads)) return {};
  return {m_rowHeaderWidth + cell.head * m_cell.width() - m_scroll.x(),
          m_columnHeaderHeight + cell.layer * m_cell.height() - m_scroll.y(), m_cell.width(),
          m_cell.height()};
}

QRect MatrixLayout::rowHeaderRect(int layer) const {
  if (layer < 0 || layer >= layers()) return {};
  return {0, m_columnHeaderHeight + layer * m_cell.height() - m_scroll.y(), m_rowHeaderWidth,
          m_cell.height()};
}

QRect MatrixLayout::columnHeaderRect(int head) const {
  return {m_rowHeaderWidth + head * m_cell.width() - m_scroll.x(), 0, m_cell.width(),
          m_columnHeaderHeight};
}

MatrixPlace MatrixLayout::placeAt(const QPoint& position) const {
  const bool inRowHeader = position.x() < m_rowHeaderWidth;
  const bool inColumnHeader = position.y() < m_columnHeaderHeight;
  const HeadPlace cell{(position.y() - m_columnHeaderHeight + m_scroll.y()) / m_cell.height(),
                       (position.x() - m_rowHeaderWidth + m_scroll.x()) / m_cell.width()};
  const MatrixPlace place = inRowHeader && inColumnHeader ? MatrixPlace::corner()
                            : inRowHeader                 ? MatrixPlace::row(cell.layer)
                            : inColumnHeader              ? MatrixPlace::column(cell.head)
                                                          : MatrixPlace::cell(cell);
  return cellsOf(place, m_heads).empty() ? MatrixPlace{} : place;
}

std::vector<QPoint> MatrixLayout::wayBetween(const QPoint& from, const QPoint& to) const {
  const QPointF whole = to - from;
  const double reach =
      std::max(std::abs(whole.x()) / m_cell.width(), std::abs(whole.y()) / m_cell.height());
  const int steps = std::max(1, static_cast<int>(std::ceil(reach * 3)));
  std::vector<QPoint> points;
  for (int i = 1; i <= steps; ++i)
    points.push_back((QPointF(from) + whole * i / steps).toPoint());
  return points;
}

}  // namespace headlight
