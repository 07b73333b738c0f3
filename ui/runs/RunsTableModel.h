// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The runs of a list as sorted rows. Changes are made in place, so that selection and scroll
// position stay. Ten thousand rows cost only the visible ones.

#include <QAbstractTableModel>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/workbench/runs/FollowedRuns.h"

namespace headlight {

class RunsTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    Run,
    State,
    Masks,
    Epoch,
    Loss,
    ValidationLoss,
    StartTop1,
    Top1,
    BestTop1,
    Locality,
    Config,
    Columns
  };
  explicit RunsTableModel(QObject* parent = nullptr);

  void apply(const RunListUpdate& news);
  const std::vector<ListedRun>& runs() const { return m_runs; }  ///< row by row
  int rowOf(std::uint64_t id) const;                             ///< -1: not in the list

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// Numbers sort as numbers; unknown values come last in both orders.
  void sort(int column, Qt::SortOrder order) override;

 private:
  void removeRuns(const std::vector<std::uint64_t>& ids);
  std::vector<ListedRun> takeKnown(const std::vector<ListedRun>& changed);
  void insertRuns(std::vector<ListedRun> runs);
  void restoreOrder();
  void reorder(const std::vector<int>& rows);
  void numberRows();

  std::vector<ListedRun> m_runs;
  std::unordered_map<std::uint64_t, int> m_rows;  ///< by id
  int m_column = Run;
  Qt::SortOrder m_order = Qt::AscendingOrder;
};

}  // namespace headlight
