// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the product of a learned mask's sub-masks is to become (IBiT, Algorithm 1). Internal to
// core/attention.

#include <cstddef>
#include <vector>

#include "core/attention/softmax/LearnedMaskFit.h"

namespace headlight {

/// The target R, of which only the taps of the filter are kept: [N, N] would be too large for many
/// patches. Rolled: R[n, k] = G[n, (n + k) mod N]; else R is the filter G itself.
struct MaskFitTarget {
  struct Entry {
    int column;
    double value;
  };
  int rows = 0;                     ///< N
  std::vector<std::size_t> starts;  ///< [N + 1]: where the entries of a row begin
  std::vector<Entry> entries;       ///< row by row, columns ascending
  double squares = 0;               ///< sum of the squared values

  /// Columns that are not all zeros, ascending.
  std::vector<int> columns() const;
};

MaskFitTarget maskFitTarget(const LearnedMaskFitOptions& options);

/// A lower bound of ‖XYᵀ − R‖ / ‖R‖ (Frobenius) over all X and Y with `rank` columns (Eckart and
/// Young 1936); 0 where none is known.
double leastRelativeError(const MaskFitTarget& target, int rank);

}  // namespace headlight
