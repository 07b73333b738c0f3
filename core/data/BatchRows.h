// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which rows of a batch each of several processes computes. No torch type.

#include <cstdint>
#include <vector>

namespace headlight {

/// For a batch of `rows`, those of part `part` of `parts`, rising: as many from its end as from its
/// beginning, so that a row and its mirror image, with which Mixup and CutMix pair it, are in one
/// part. Empty where there are fewer pairs than parts.
std::vector<std::int64_t> rowsOfPart(std::int64_t rows, std::int64_t part, std::int64_t parts);

}  // namespace headlight
