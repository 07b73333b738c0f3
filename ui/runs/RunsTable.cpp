// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/RunsTable.h"

#include <QHeaderView>
#include <QKeyEvent>

#include <algorithm>

#include "ui/runs/RunsTableModel.h"

namespace headlight {

RunsTable::RunsTable(QWidget* parent) : QTableView(parent), m_rows(new RunsTableModel(this)) {
  setObjectName(QStringLiteral("runTable"));
  setAccessibleName(tr("Runs"));
  setModel(m_rows);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setWordWrap(false);
  verticalHeader()->hide();
  horizontalHeader()->setResizeContentsPrecision(0);  // only visible rows: there may be thousands
  setSortingEnabled(true);
  sortByColumn(RunsTableModel::Run, Qt::AscendingOrder);
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RunsTable::choiceChanged);
}

void RunsTable::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Delete) return QTableView::keyPressEvent(event);
  event->accept();
  Q_EMIT removeRequested();
}

void RunsTable::apply(const RunListUpdate& news) {
  m_rows->apply(news);
  if (!m_sized && m_rows->rowCount() > 0 && news.waiting == 0) {
    m_sized = true;
    resizeColumnsToContents();
  }
  const bool touched =
      std::any_of(news.changed.begin(), news.changed.end(), [this](const ListedRun& run) {
        const int row = m_rows->rowOf(run.id);
        return row >= 0 && selectionModel()->isRowSelected(row, QModelIndex());
      });
  if (touched) Q_EMIT choiceChanged();
}

std::vector<ListedRun> RunsTable::chosen(std::size_t most) const {
  std::vector<int> rows;
  for (const QItemSelectionRange& range : selectionModel()->selection())
    for (int row = range.top(); row <= range.bottom(); ++row)
      rows.push_back(row);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  rows.resize(std::min(rows.size(), most));
  std::vector<ListedRun> runs;
  for (const int row : rows)
    runs.push_back(m_rows->runs()[static_cast<std::size_t>(row)]);
  return runs;
}

QString RunsTable::text(int row, int column) const {
  return m_rows->data(m_rows->index(row, column), Qt::DisplayRole).toString();
}

}  // namespace headlight
