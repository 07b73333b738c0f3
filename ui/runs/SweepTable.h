// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The variants of a sweep with their results, one per row, sortable by every column.

#include <QTableWidget>

#include <vector>

#include "core/workbench/sweeps/SweepEstimate.h"

namespace headlight {

class SweepTable : public QTableWidget {
  Q_OBJECT
 public:
  explicit SweepTable(QWidget* parent = nullptr);

  /// `secondsOfRun` by variant; empty: not measured.
  void showSweep(const SweepPlan& plan, const SweepReport& report,
                 const std::vector<double>& secondsOfRun);
  void clearPlan() { setRowCount(0); }

 private:
  void fillRow(int row, const SweepPlan& plan, const SweepRow* known, double seconds);
};

}  // namespace headlight
