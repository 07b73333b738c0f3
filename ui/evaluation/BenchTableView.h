// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A table of core (BenchTable.h) in a dialog: read, selected by rows, numbers to the right.

#include <QTableWidget>

#include "core/workbench/bench/BenchTable.h"

namespace headlight {

/// `what` is its name for screen readers.
QTableWidget* makeBenchTable(const char* name, const QString& what, QWidget* parent);
/// In the place of what it showed.
void showBenchTable(QTableWidget* widget, const BenchTable& table);

}  // namespace headlight
