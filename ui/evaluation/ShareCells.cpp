// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/ShareCells.h"

#include <QPainter>

#include <algorithm>

#include "ui/widgets/NumberItem.h"

namespace headlight {

QTableWidgetItem* numberCell(double value, const QString& text) {
  return new NumberItem(value, text);
}

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  const double share = std::clamp(index.data(Qt::UserRole).toDouble(), 0.0, 1.0);
  QRectF bar = QRectF(option.rect).adjusted(1, 3, -1, -3);
  bar.setWidth(bar.width() * share);
  QColor color = option.palette.color(QPalette::Highlight);
  color.setAlpha(90);
  painter->fillRect(bar, color);
  QStyledItemDelegate::paint(painter, option, index);
}

}  // namespace headlight
