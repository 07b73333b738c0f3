// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How many batches an epoch has. No torch type: the window counts the steps of a run with it too.

#include <cstdint>

namespace headlight {

/// Whether training leaves out a last batch that is not full.
inline constexpr bool kTrainingDropsLast = true;

/// For `size` samples, at least one. A last batch that is not full is left out (`dropLast`) unless
/// it would be the only one.
constexpr std::int64_t batchesPerEpoch(std::int64_t size, std::int64_t batchSize, bool dropLast) {
  return dropLast && size >= batchSize ? size / batchSize : (size - 1) / batchSize + 1;
}

}  // namespace headlight
