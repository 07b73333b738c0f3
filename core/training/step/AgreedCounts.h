// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the losses of a detector's or a segmenter's step are divided by, which no process knows
// alone.

#include <array>
#include <cstdint>

#include "core/processes/Processes.h"

namespace headlight {

/// Two counts of a whole batch, from those of this process's part of it. A batch that every process
/// has whole was counted by each of `sharedCount` (Batch::sharedCount). `processes` null: this one
/// alone. Every process has to call it.
std::array<double, 2> agreedCounts(const std::array<double, 2>& own, std::int64_t sharedCount,
                                   Processes* processes);

}  // namespace headlight
