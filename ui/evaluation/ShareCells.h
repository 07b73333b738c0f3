// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Cells of tables with numbers: sorted as numbers, and shares as bars.

#include <QStyledItemDelegate>
#include <QTableWidgetItem>

namespace headlight {

/// A number that sorts as one, behind it `text`.
QTableWidgetItem* numberCell(double value, const QString& text);

/// A share (Qt::UserRole, in [0, 1]) as a bar behind its number.
class BarDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

}  // namespace headlight
