// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/RunsTableModel.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "ui/runs/RunCells.h"

namespace headlight {

RunsTableModel::RunsTableModel(QObject* parent) : QAbstractTableModel(parent) {}

int RunsTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunsTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : Columns;
}

int RunsTableModel::rowOf(std::uint64_t id) const {
  const auto found = m_rows.find(id);
  return found == m_rows.end() ? -1 : found->second;
}

QVariant RunsTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const ListedRun& run = m_runs[static_cast<std::size_t>(index.row())];
  if (role == Qt::DisplayRole) return runCellText(run, index.column());
  if (role == Qt::ToolTipRole) return runCellTip(run, index.column());
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::AlignVCenter |
                               (isNumberCell(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
  return {};
}

QVariant RunsTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const QStringList titles{tr("Run"),
                           tr("State"),
                           tr("Masks"),
                           tr("Epoch"),
                           tr("Loss"),
                           tr("Validation loss"),
                           tr("Start top-1, %"),
                           tr("Last top-1, %"),
                           tr("Best top-1, %"),
                           tr("ALS"),
                           tr("Config")};
  return titles.value(section);
}

void RunsTableModel::apply(const RunListUpdate& news) {
  if (!news.removed.empty()) removeRuns(news.removed);
  std::vector<ListedRun> fresh = takeKnown(news.changed);
  if (!fresh.empty()) insertRuns(std::move(fresh));
  if (!news.changed.empty()) restoreOrder();
}

/// Moves the rows to the end first, so that one removal is enough.
void RunsTableModel::removeRuns(const std::vector<std::uint64_t>& ids) {
  const std::unordered_set<std::uint64_t> gone(ids.begin(), ids.end());
  std::vector<int> rows(m_runs.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto firstGone = std::stable_partition(rows.begin(), rows.end(), [&](int row) {
    return !gone.contains(m_runs[static_cast<std::size_t>(row)].id);
  });
  const int kept = static_cast<int>(firstGone - rows.begin());
  if (kept == rowCount()) return;
  reorder(rows);
  beginRemoveRows({}, kept, rowCount() - 1);
  m_runs.resize(static_cast<std::size_t>(kept));
  numberRows();
  endRemoveRows();
}

/// Returns the runs that are not in the list yet.
std::vector<ListedRun> RunsTableModel::takeKnown(const std::vector<ListedRun>& changed) {
  std::vector<ListedRun> fresh;
  int first = rowCount(), last = -1;
  for (const ListedRun& run : changed) {
    const int row = rowOf(run.id);
    if (row < 0) {
      fresh.push_back(run);
      continue;
    }
    m_runs[static_cast<std::size_t>(row)] = run;
    first = std::min(first, row);
    last = std::max(last, row);
  }
  if (last >= 0) Q_EMIT dataChanged(index(first, 0), index(last, Columns - 1));
  return fresh;
}

void RunsTableModel::insertRuns(std::vector<ListedRun> runs) {
  beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(runs.size()) - 1);
  m_runs.insert(m_runs.end(), std::make_move_iterator(runs.begin()),
                std::make_move_iterator(runs.end()));
  numberRows();
  endInsertRows();
}

void RunsTableModel::sort(int column, Qt::SortOrder order) {
  m_column = column;
  m_order = order;
  restoreOrder();
}

void RunsTableModel::restoreOrder() {
  std::vector<RunSortKey> keys;
  keys.reserve(m_runs.size());
  for (const ListedRun& run : m_runs)
    keys.push_back(runSortKey(run, m_column));
  const auto before = [&](int a, int b) {
    return comesBefore(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)],
                       m_order == Qt::DescendingOrder);
  };
  std::vector<int> rows(m_runs.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (std::is_sorted(rows.begin(), rows.end(), before)) return;
  std::stable_sort(rows.begin(), rows.end(), before);
  reorder(rows);
}

/// `rows`: the old row of each new position.
void RunsTableModel::reorder(const std::vector<int>& rows) {
  Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
  std::vector<int> places(rows.size());
  std::vector<ListedRun> moved;
  moved.reserve(rows.size());
  for (std::size_t place = 0; place < rows.size(); ++place) {
    const auto row = static_cast<std::size_t>(rows[place]);
    places[row] = static_cast<int>(place);
    moved.push_back(std::move(m_runs[row]));
  }
  m_runs = std::move(moved);
  numberRows();
  const QModelIndexList from = persistentIndexList();
  QModelIndexList to;
  for (const QModelIndex& one : from)
    to << index(places[static_cast<std::size_t>(one.row())], one.column());
  changePersistentIndexList(from, to);
  Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void RunsTableModel::numberRows() {
  m_rows.clear();
  m_rows.reserve(m_runs.size());
  for (int row = 0; row < rowCount(); ++row)
    m_rows[m_runs[static_cast<std::size_t>(row)].id] = row;
}

}  // namespace headlight
