// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A folder of class folders of images: either splits, as SplitFolders.h knows them, or the class
// folders directly.
//
// Class folders are sorted naturally, as timm does (NaturalOrder.h). Images may lie deeper inside
// a class folder. Names that begin with a dot are passed over; so are files without an image's
// extension, which are counted and said. A folder reached twice through links is read once. A
// validation split may lack classes of the training split, which is said too.

#include <filesystem>

#include "core/data/Subset.h"

namespace headlight {

Result<OpenedSource> openImageFolder(const DatasetSpec& spec, Split split);

/// Whether `path` looks like one: two class folders or more with an image in each of the first
/// two.
bool looksLikeImageFolder(const std::filesystem::path& path);

}  // namespace headlight
