// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The cells of a batch that learn boxes.

#include <cstdint>
#include <vector>

#include "core/analysis/boxes/LabeledBox.h"
#include "core/models/detection/CellScores.h"

namespace headlight {

/// A cell that learns a box; all others learn that nothing is there.
struct AssignedCell {
  std::int64_t cell = 0;  ///< its place in [B · N], image after image
  LabeledBox truth;
};

/// What a batch is to learn: a list for each image, in pixels of what the model sees.
using BatchBoxes = std::vector<LabeledBoxes>;

/// By matchCells() (SimOTA), without gradients, on the CPU in double precision. `background` [B, N]:
/// the varifocal loss of each cell where nothing is there. Cells rise. Throws
/// Failure(InvalidArgument) for labels that are no class of the model.
std::vector<AssignedCell> assignCells(const CellScores& scores, const at::Tensor& background,
                                      const BatchBoxes& truth);

}  // namespace headlight
