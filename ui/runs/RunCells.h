// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a run's row says in each column (RunsTableModel::Column), and by what it is sorted.

#include <QString>

#include <limits>
#include <string>

#include "core/workbench/runs/RunList.h"

namespace headlight {

QString runCellText(const ListedRun& run, int column);  ///< empty: not known
QString runCellTip(const ListedRun& run, int column);
bool isNumberCell(int column);

struct RunSortKey {
  double number = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not known, or a text
  std::string text;
  /// Where the column says the same of both: by name, folder for folder. Outlives the key.
  const ListedRun* run = nullptr;
  bool byName = false;  ///< the column is the name
};
RunSortKey runSortKey(const ListedRun& run, int column);
/// What is not known comes last in both orders.
bool comesBefore(const RunSortKey& a, const RunSortKey& b, bool descending);

}  // namespace headlight
