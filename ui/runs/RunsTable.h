// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The list of runs, to be sorted and chosen from.

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
  /// The first `most` of those that are selected, in the order that is shown.
  std::vector<ListedRun> chosen(std::size_t most) const;
  QString text(int row, int column) const;  ///< what stands there

 Q_SIGNALS:
  void choiceChanged();    ///< other runs, or some of them are not what they were
  void removeRequested();  ///< by the key Delete

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  RunsTableModel* m_rows;
  bool m_sized = false;
};

}  // namespace headlight
