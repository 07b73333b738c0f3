// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is said of how data was read (Dataset::notes).

#include <string>
#include <vector>

#include "core/data/Dataset.h"

namespace headlight {

/// The notes of both splits, each once.
std::vector<std::string> describeSplits(const Dataset& train, const Dataset& validation);

/// Hands the notes to the log as warnings, each once in the life of the program: a dataset is
/// opened again for every measure.
void logNotes(const std::vector<std::string>& notes);

}  // namespace headlight
