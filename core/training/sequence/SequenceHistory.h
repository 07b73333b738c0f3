// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reading back what SequenceLog.h wrote, to go on with a run's curves where they were.

#include <cstdint>
#include <vector>

#include "core/base/files/OpenFolder.h"
#include "core/training/sequence/SequenceTypes.h"

namespace headlight {

/// The steps and validations before `step` that metrics.jsonl in `folder` tells of, in order and
/// evenly thinned where there are many. Lines that are damaged are passed over; a file that is
/// missing says nothing. The run's length and its remaining time are not logged.
std::vector<SequenceReading> readSequenceHistory(const OpenFolder& folder, std::int64_t step);

}  // namespace headlight
