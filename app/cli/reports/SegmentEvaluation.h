// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a segmenter makes of each class of a dataset, as evaluate --classes says it.

#include <string>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/segmentation/SegmentReport.h"

namespace headlight::cli {

/// {"images", "pixels", "miou", "macc", "pacc", "classes": [{"index", "name", "truth", "predicted",
/// "iou", "accuracy"}], "class_match", "images_per_second", "skipped"}. Pixels are counted, measures
/// lie in [0, 1]; null where nothing counts.
Json segmentReportJson(const SegmentReport& report);
/// One line of measures, and with `classes` one for each class that occurs or is predicted.
void printSegmentReport(const SegmentReport& report, bool classes, Terminal& terminal);
/// class,name,truth,predicted,iou,accuracy; measures that do not count are empty.
std::string segmentReportCsv(const SegmentReport& report);

}  // namespace headlight::cli
