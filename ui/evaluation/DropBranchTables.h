// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The effect of dropping the auxiliary branch in two tables: accuracy with and without the branch,
// and its nonzero entries per layer, as numbers and bars.

#include <QWidget>

#include "core/workbench/evaluation/BranchReport.h"

class QTableWidget;

namespace headlight {

class DropBranchTables : public QWidget {
  Q_OBJECT
 public:
  explicit DropBranchTables(QWidget* parent = nullptr);
  void setReport(const BranchReport* report);  ///< null: both are empty

 private:
  void fillAccuracy(const BranchReport& report);
  void fillLayers(const BranchReport& report);

  QTableWidget *m_accuracy, *m_layers;
};

}  // namespace headlight
