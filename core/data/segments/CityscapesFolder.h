// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Cityscapes (Cordts et al. 2016): leftImg8bit/train/CITY/NAME_leftImg8bit.png and
// gtFine/train/CITY/NAME_gtFine_labelTrainIds.png (or labelIds).

#include <filesystem>

#include "core/data/segments/SegmentSource.h"

namespace headlight {

/// A split (train, val). Classes are the 19 that are trained on, with Cityscapes' colors; all other
/// ids, and 255, are ignored. labelTrainIds are read where a split has them, else labelIds. Throws
/// Failure as pairLabels() does.
SegmentSource readCityscapes(const std::filesystem::path& path, bool train);

/// Whether a folder has leftImg8bit and gtFine.
bool looksLikeCityscapes(const std::filesystem::path& path);

}  // namespace headlight
