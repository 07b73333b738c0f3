// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The text of a run's cells by column (RunsTableModel::Column), and its sort keys.

#include <QString>

#include <limits>
#include <string>

#include "core/workbench/runs/RunList.h"

namespace headlight {

QString runCellText(const ListedRun& run, int column);  ///< empty: unknown
QString runCellTip(const ListedRun& run, int column);
bool isNumberCell(int column);

struct RunSortKey {
  double number = std::numeric_limits<double>::quiet_NaN();  ///< NaN: unknown, or a text
  std::string text;
  /// For equal values: sort by name, folder by folder. Outlives the key.
  const ListedRun* run = nullptr;
  bool byName = false;  ///< the column is the name
};
RunSortKey runSortKey(const ListedRun& run, int column);
/// Unknown values come last in both orders.
bool comesBefore(const RunSortKey& a, const RunSortKey& b, bool descending);

}  // namespace headlight
