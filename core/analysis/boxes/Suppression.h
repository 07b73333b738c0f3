// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which of a detector's boxes are kept: of those that overlap much and have one class, the best
// (non-maximum suppression, as PaddleDetection's MultiClassNMS has it).

#include <vector>

#include "core/analysis/boxes/PixelBox.h"

namespace headlight {

struct ScoredBox {
  PixelBox box;
  int label = 0;     ///< 0 or more
  double score = 0;  ///< any number; only the order matters
};

struct SuppressionOptions {
  double overlap = 0.6;    ///< IoU with a better box of the class: what has more is dropped
  int bestOfClass = 1000;  ///< candidates of each class, the best ones
  int mostOfImage = 100;   ///< boxes that are kept of all classes
};

/// The places of the boxes that are kept, best score first. Of equal scores the one given first is
/// the better one.
std::vector<int> keptBoxes(const std::vector<ScoredBox>& boxes,
                           const SuppressionOptions& options = {});

}  // namespace headlight
