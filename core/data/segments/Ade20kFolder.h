// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// ADE20K as SceneParse150 has it (Zhou et al. 2017): images/training and images/validation,
// annotations/training and annotations/validation.

#include <filesystem>

#include "core/data/segments/SegmentSource.h"

namespace headlight {

/// A split. Number 0 is ignored, 1 … 150 are the classes 0 … 149. Their names are the first ones in
/// objectInfo150.txt or .csv, where the folder or the one above it has one, else those of this
/// program; a note says which. Throws Failure as pairLabels() and segmentClasses() do, and
/// InvalidFile (a list of names without 150 names).
SegmentSource readAde20k(const std::filesystem::path& path, bool train);

/// Whether a folder has images/training and annotations/training, and no table of classes.
bool looksLikeAde20k(const std::filesystem::path& path);

/// The names that the program knows, in order.
const std::vector<std::string>& ade20kNames();

/// The names of a file objectInfo150. Throws Failure (InvalidFile, naming `where`).
std::vector<std::string> ade20kNamesFromText(std::string_view text, const std::string& where);

}  // namespace headlight
