// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The boxes of an evaluation as numbers that processes can exchange.

#include <vector>

#include "core/analysis/boxes/BoxMatcher.h"
#include "core/processes/Processes.h"

namespace headlight {

struct BoxRecords {
  std::vector<TrueBox> truth;  ///< their ids are not exchanged
  std::vector<FoundBox> found;

  /// Those of all processes, by rank; null: as they are. The same in each.
  void exchange(Processes* processes);
};

}  // namespace headlight
