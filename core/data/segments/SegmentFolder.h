// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Any folder of images with label images: images/ beside labels/, annotations/ or masks/, each with
// the folders train and val (or others that SplitFolders.h knows), and a table of classes.

#include <filesystem>

#include "core/data/segments/SegmentSource.h"

namespace headlight {

/// A split; without folders of both splits all of images/, or of its training folder, is to be
/// shared out. Classes as classes.txt or classes.csv (SegmentTable.h) says. Throws Failure as
/// pairLabels(), readSegmentTable() and splitFoldersIn() do, and NotFound (no table, no images/, no
/// folder of labels), which says what is expected.
SegmentSource readSegmentFolder(const std::filesystem::path& path, bool train);

/// Whether a folder has images/, PNGs in a folder of labels and a table of classes.
bool looksLikeSegmentFolder(const std::filesystem::path& path);

}  // namespace headlight
