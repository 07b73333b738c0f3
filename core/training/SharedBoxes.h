// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The boxes of a batch of which each of several processes has some rows.

#include <cstdint>
#include <vector>

#include "core/data/Loader.h"
#include "core/processes/Processes.h"

namespace headlight {

/// One list for each row; empty where the dataset has none.
struct BoxRows {
  std::vector<LabeledBoxes> boxes;
  std::vector<ImageTruth> truth;
};

/// Those of all rows of the whole batch (here.whole), in every process; none in rows that no
/// process has. Every process of the run calls it. Throws Failure as Processes does.
BoxRows sharedBoxes(const Batch& here, Processes& processes);

/// `lists` at `rows`, in that order; empty where `lists` is.
template <typename List>
std::vector<List> chosenRows(const std::vector<List>& lists,
                             const std::vector<std::int64_t>& rows) {
  std::vector<List> chosen;
  if (lists.empty()) return chosen;
  for (const std::int64_t row : rows)
    chosen.push_back(lists.at(static_cast<std::size_t>(row)));
  return chosen;
}

}  // namespace headlight
