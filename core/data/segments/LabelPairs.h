// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which label image belongs to which image: the one of the same name in a folder beside.

#include <filesystem>
#include <string>
#include <vector>

#include "core/data/segments/SegmentSource.h"

namespace headlight {

/// What names have before their extension: "_leftImg8bit", "_gtFine_labelIds"; what is before that
/// is the same for both.
struct LabelEndings {
  std::string image, label;
};

struct LabelPairs {
  std::vector<SegmentedFile> files;  ///< in natural order, folder by folder
  std::vector<std::string> notes;
};

/// The images of a folder and of those in it, each with the PNG in the same place of `labels`.
/// Files that are no images, and labels without an image, are noted. Throws Failure: NotFound (no
/// images, no such folder, or labels that are missing, which says how many), InvalidFile (two
/// images of one name).
LabelPairs pairLabels(const std::filesystem::path& images, const std::filesystem::path& labels,
                      const LabelEndings& endings = {});

/// Whether a folder, or one of its first folders, has a PNG of this ending.
bool holdsLabels(const std::filesystem::path& folder, const std::string& ending = "");

}  // namespace headlight
