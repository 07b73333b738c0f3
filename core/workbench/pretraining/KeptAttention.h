// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the kept tokens of a masked autoencoder look while the other patches are dropped. No torch
// type here.

#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/imaging/codecs/Image.h"
#include "core/masks/Grid.h"

namespace headlight {

/// Of one layer for one image. The K kept tokens are the prefix tokens and the kept patches.
struct KeptAttention {
  int layer = 0, heads = 0;
  Grid grid;                  ///< of the whole image
  std::vector<int> places;    ///< [grid.tokens()]: place among the kept tokens; −1: dropped
  std::vector<float> values;  ///< [heads, K, K]: rows are queries
  std::string meaning;        ///< what a map is for this mechanism, in words
  bool isSigned = false;

  int kept() const;  ///< K
};

struct KeptQuery {
  int token = 0;  ///< of the whole grid, a kept one
  int head = -1;  ///< −1: the mean of all
};

/// A row of the map on the grid, in colors over the image.
struct DrawnKeptMap {
  std::vector<float> values;  ///< [rows · cols] of the patches; NaN where they are dropped
  Image image;                ///< dropped patches are gray
  std::string caption;
};

/// `masked` is the image with the dropped patches gray (Reconstruction). Errors: a token or a head
/// that does not exist, a token that is dropped.
Result<DrawnKeptMap> drawKeptMap(const KeptAttention& attention, const KeptQuery& query,
                                 const Image& masked);

}  // namespace headlight
