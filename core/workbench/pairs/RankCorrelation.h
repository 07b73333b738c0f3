// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Spearman's rank correlation, and the weighted correlation of AttentionViz.

#include <vector>

namespace headlight {

/// Pearson's correlation of the ranks of two lists of equal length, ties with their mean rank. In
/// [−1, 1]; NaN where there are no two values, all of one list are equal, or one is NaN.
double rankCorrelation(const std::vector<double>& first, const std::vector<double>& second);

/// cov(x, y; w) / √(cov(x, x; w) · cov(y, y; w)) with weights w ≥ 0; NaN where there is no spread.
double weightedCorrelation(const std::vector<double>& first, const std::vector<double>& second,
                           const std::vector<double>& weights);

}  // namespace headlight
