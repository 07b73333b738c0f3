// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Average precision of boxes, in words and as JSON.

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/detection/BoxReport.h"

namespace headlight::cli {

/// {"images", "boxes", "found", "AP", "AP50", …, "classes": [{"id", "name", "boxes", "AP", …}],
/// "class_match", "images_per_second", "notes"}. Numbers in [0, 1]; null where no box counts.
Json boxReportJson(const BoxReport& report);
/// AP and AR by sizes of boxes.
void printBoxReport(const BoxReport& report, Terminal& terminal);
/// A line for each category.
void printBoxClasses(const BoxReport& report, Terminal& terminal);

}  // namespace headlight::cli
