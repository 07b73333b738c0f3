// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The table of faithful methods, as commands tell it.

#include <vector>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/attribution/FaithfulnessStudy.h"

namespace headlight::cli {

/// [{method, images, deletion: {mean, deviation}, insertion: …}]; a deviation of one image is
/// null.
Json studyJson(const std::vector<StudiedMethod>& methods);
/// A line a method.
void printStudy(const std::vector<StudiedMethod>& methods, Terminal& terminal);

}  // namespace headlight::cli
