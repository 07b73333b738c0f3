// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Training at several scales: each batch has a side of its own.

#include <cstdint>
#include <vector>

namespace headlight {

/// The multiples of 32 from 0.8 to 1.2 times `side`, rising: 256 … 384 for 320, 352 … 480 for 416.
/// Only `side` where there is none.
std::vector<int> batchSides(int side);

/// One of them; a function of the key alone.
int sideOfBatch(int side, std::uint64_t key);

}  // namespace headlight
