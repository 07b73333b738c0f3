// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/BenchTableView.h"

#include <QHeaderView>

#include "ui/base/CoreText.h"

namespace headlight {
namespace {

QTableWidgetItem* makeBenchItem(const BenchCell& cell) {
  auto* item =
      new QTableWidgetItem(cell.isNumber ? QString::fromStdString(cell.text) : coreText(cell.text));
  if (cell.isNumber) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return item;
}

}  // namespace

QTableWidget* makeBenchTable(const char* name, const QString& what, QWidget* parent) {
  auto* table = new QTableWidget(parent);
  table->setObjectName(QString::fromLatin1(name));
  table->setAccessibleName(what);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->verticalHeader()->hide();
  return table;
}

void showBenchTable(QTableWidget* widget, const BenchTable& table) {
  widget->clear();
  widget->setRowCount(static_cast<int>(table.rows.size()));
  widget->setColumnCount(static_cast<int>(table.columns.size()));
  QStringList titles;
  for (const std::string& title : table.columns)
    titles << coreText(title);
  widget->setHorizontalHeaderLabels(titles);
  for (int r = 0; r < widget->rowCount(); ++r)
    for (int c = 0; c < widget->columnCount(); ++c)
      widget->setItem(
          r, c,
          makeBenchItem(table.rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]));
  widget->resizeColumnsToContents();
}

}  // namespace headlight
