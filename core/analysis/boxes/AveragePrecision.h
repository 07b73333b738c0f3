// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Average precision of found boxes: equal to pycocotools' COCOeval of boxes to 1e-12.

#include <vector>

#include "core/analysis/boxes/PrecisionCurves.h"

namespace headlight {

struct AveragePrecision {
  PrecisionNumbers all{};                 ///< the mean over those classes that have a number
  std::vector<PrecisionNumbers> classes;  ///< in the order of the categories
};

/// `categories`: how many there are. Images and categories of the boxes are places from 0, in the
/// order of their ids; categories are below `categories`. The order of boxes decides between equal
/// scores and overlaps. Scores and boxes are finite.
AveragePrecision measurePrecision(std::vector<TrueBox> truth, std::vector<FoundBox> found,
                                  int categories);

}  // namespace headlight
