// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Table cells with numbers that sort as numbers, and shares drawn as bars.

#include <QStyledItemDelegate>
#include <QTableWidgetItem>

namespace headlight {

/// A cell that shows `text` and sorts by its number.
QTableWidgetItem* numberCell(double value, const QString& text);

/// A share (Qt::UserRole, in [0, 1]) as a bar behind its number.
class BarDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

}  // namespace headlight
