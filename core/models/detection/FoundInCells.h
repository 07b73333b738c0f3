// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From what cells say to the boxes that a detector found.

#include <cstdint>
#include <vector>

#include "core/analysis/boxes/Suppression.h"
#include "core/models/detection/CellScores.h"

namespace headlight {

/// A box that a cell found.
struct CellBox {
  PixelBox box;           ///< in pixels of the image that the model sees, clipped to it
  int label = 0;          ///< a class of the model
  double score = 0;       ///< in (leastScore, 1]
  std::int64_t cell = 0;  ///< its place in the levels of CellScores
};

struct FoundOptions {
  double leastScore = 0.025;  ///< boxes have more
  SuppressionOptions suppression;
};

/// For each image of the batch what keptBoxes() leaves, best first; equal scores in the order of
/// cells, then classes. `height` and `width` are those of the images that the model saw. What
/// is no number finds nothing.
std::vector<std::vector<CellBox>> findBoxes(const CellScores& scores, std::int64_t height,
                                            std::int64_t width, const FoundOptions& options = {});

}  // namespace headlight
