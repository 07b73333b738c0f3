// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The cheapest one-to-one assignment (Kuhn 1955; with potentials and shortest augmenting paths as
// Jonker and Volgenant 1987 have it). No torch type.

#include <span>
#include <vector>

namespace headlight {

/// For each row of `costs` [rows, columns] its column, no column twice, so that the sum of the costs
/// is the least there is; with more rows than columns -1 where a row has none, and every column is
/// taken. Costs that are no number, or infinite, count as 1e12. In O(n² m) for n = min(rows,
/// columns), m = max(rows, columns), in double precision. Throws Failure(InvalidArgument) where
/// `costs` has another size.
std::vector<int> cheapestPairs(std::span<const double> costs, int rows, int columns);

}  // namespace headlight
