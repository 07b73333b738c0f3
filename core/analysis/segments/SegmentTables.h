// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measures of segments as JSON and CSV.

#include <string>
#include <vector>

#include "core/analysis/segments/SegmentConfusion.h"
#include "core/config/Parameter.h"

namespace headlight {

/// {"miou", "macc", "pacc", "pixels", "classes": [{"name", "iou", "accuracy", "pixels",
/// "predicted"}]}: null for iou and accuracy of classes that do not occur, and for the first three
/// where there are no pixels. Shares in [0, 1].
Json segmentJson(const SegmentMeasures& measures, const std::vector<std::string>& names);

/// "class,iou,accuracy,pixels,predicted", a line for each class; what has no number is empty.
std::string segmentCsv(const SegmentMeasures& measures, const std::vector<std::string>& names);

}  // namespace headlight
