// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The sortable list of runs.

#include <QTableView>

#include <vector>

#include "core/workbench/runs/FollowedRuns.h"

namespace headlight {

class RunsTableModel;

class RunsTable : public QTableView {
  Q_OBJECT
 public:
  explicit RunsTable(QWidget* parent = nullptr);

  RunsTableModel* rows() const { return m_rows; }
  void apply(const RunListUpdate& news);
  /// The first `most` selected runs, in the order shown.
  std::vector<ListedRun> chosen(std::size_t most) const;
  QString text(int row, int column) const;  ///< of a cell

 Q_SIGNALS:
  void choiceChanged();    ///< other runs are selected, or selected runs changed
  void removeRequested();  ///< by Delete

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  RunsTableModel* m_rows;
  bool m_sized = false;
};

}  // namespace headlight
