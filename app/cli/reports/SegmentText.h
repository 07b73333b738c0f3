// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a segmenter found in an image, in words and as JSON.

#include <string>
#include <vector>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/session/Segments.h"

namespace headlight::cli {

/// [{"label", "index", "share", "probability"}], the largest share first; in [0, 1].
Json segmentsJson(const FoundSegments& found);

/// The same with "width" and "height" of the class image and
/// "queries": [{"query", "label", "index", "probability"}], likeliest class each.
Json segmentFileJson(const FoundSegments& found);

/// Adds "truth": [{"label", "index", "share"}], of the pixels with a known truth, and "agreement":
/// the share of them that was found. `truth` is of the model's classes, `names` may be empty.
void addTrueSegments(const ClassImage& truth, const FoundSegments& found,
                     const std::vector<std::string>& names, Json& json);

/// How many of the pixels with a known truth were found, in a line.
void printAgreement(const ClassImage& truth, const FoundSegments& found, Terminal& terminal);

/// A line for each class, after the image's name.
void printSegments(const std::string& image, const FoundSegments& found, Terminal& terminal);

}  // namespace headlight::cli
