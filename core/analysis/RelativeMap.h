// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention by relative position (Zhai et al. 2021, "An Attention Free Transformer", Fig. 1): what
// a head gives to patches at an offset, wherever it looks from.

#include <vector>

#include "core/analysis/AttentionMaps.h"

namespace headlight {

/// For one layer, for every offset (Δrow, Δcolumn) from −(g−1) to g−1 of a grid of g × g′ patches:
/// a mean over the query patches that have a patch there (and over images). Prefix tokens are
/// left out, as queries and as keys; what remains of a row is not made to sum to 1.
struct RelativeLayer {
  Grid grid;
  int heads = 0;
  std::vector<double> values;  ///< [heads, 2g − 1, 2g′ − 1], row-major; offset 0 in the middle

  int rows() const { return 2 * grid.rows - 1; }
  int cols() const { return 2 * grid.cols - 1; }
  double at(int head, int deltaRow, int deltaCol) const;
  std::vector<float> ofHead(int head) const;  ///< [2g − 1, 2g′ − 1]
};

/// Sums over the maps of a layer, one image after another, in double.
class RelativeMeans {
 public:
  /// Maps have the heads and grid of those before. Throws Failure for others, or maps of windows.
  void add(const LayerMaps& maps);
  /// The mean of what was added; empty before that.
  RelativeLayer means() const;

 private:
  void addHead(int head, const MapNumbers& map);

  RelativeLayer m_sums;
  std::int64_t m_images = 0;
};

}  // namespace headlight
