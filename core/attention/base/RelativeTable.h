// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// BEiT's table of relative positions (Bao et al. 2022; T5's biases on a grid), in timm's order: one
// row for every offset between two patches, then three for the class token.

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/masks/Grid.h"

namespace headlight {

/// Rows that stand after the offsets: from the class token to a patch, from a patch to it, and of
/// it to itself.
constexpr std::int64_t kClassTokenRows = 3;

/// (2·rows − 1)(2·cols − 1) + 3.
std::int64_t relativeTableRows(const Grid& grid);
/// [T·T] int64: the table's row of query i and key j. One prefix token.
at::Tensor relativeTableIndex(const Grid& grid);
/// Throws Failure(InvalidConfig) for a grid whose prefix is not one class token, and for more pairs
/// than can be held.
void requireRelativeTable(const Grid& grid);

}  // namespace headlight
