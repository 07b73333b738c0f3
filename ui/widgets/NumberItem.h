// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table's cell that sorts as a number; one that is not known comes last.

#include <QTableWidgetItem>

#include <cmath>

namespace headlight {

class NumberItem : public QTableWidgetItem {
 public:
  /// NaN: not known.
  NumberItem(double value, const QString& text) : QTableWidgetItem(text) {
    setData(Qt::UserRole, std::isfinite(value) ? value : -1e300);
    setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  }
  bool operator<(const QTableWidgetItem& other) const override {
    return data(Qt::UserRole).toDouble() < other.data(Qt::UserRole).toDouble();
  }
};

}  // namespace headlight
