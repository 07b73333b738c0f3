// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/RecordedView.h"

#include <algorithm>

namespace headlight {

int nearestKeptToken(const std::vector<int>& queries, int token, const Grid& grid) {
  if (queries.empty()) return token;
  if (std::find(queries.begin(), queries.end(), token) != queries.end()) return token;
  if (token < grid.prefix || grid.cols == 0) return queries.front();
  const int patch = token - grid.prefix;
  int nearest = queries.front(), least = -1;
  for (const int query : queries) {
    if (query < grid.prefix) continue;
    const int other = query - grid.prefix;
    const int rows = other / grid.cols - patch / grid.cols;
    const int cols = other % grid.cols - patch % grid.cols;
    const int distance = rows * rows + cols * cols;
    if (least >= 0 && distance >= least) continue;
    nearest = query;
    least = distance;
  }
  return nearest;
}

}  // namespace headlight
