// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What castling changes, in two tables: accuracy with the branch and without, and what is left of
// it in every layer, as numbers and bars.

#include <QWidget>

#include "core/workbench/evaluation/CastlingReport.h"

class QTableWidget;

namespace headlight {

class CastleTables : public QWidget {
  Q_OBJECT
 public:
  explicit CastleTables(QWidget* parent = nullptr);
  void setReport(const CastlingReport* report);  ///< null: both are empty

 private:
  void fillAccuracy(const CastlingReport& report);
  void fillLayers(const CastlingReport& report);

  QTableWidget *m_accuracy, *m_layers;
};

}  // namespace headlight
