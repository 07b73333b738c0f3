// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which images of a folder of Pascal VOC belong to which split.

#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

/// Ids of images, in the order of their lists.
struct VocLists {
  std::vector<std::string> train;
  std::vector<std::string> validation;
  bool shareOut = false;  ///< `train` is all there is
};

/// train.txt and val.txt of ImageSets/Main; else trainval.txt, train.txt or all of Annotations in
/// natural order, to be shared out. Throws Failure: NotFound (no annotations), InvalidFile (an
/// empty list, an id twice or in both lists, or that leads out of the folder).
VocLists readVocLists(const std::filesystem::path& path);

/// The ids of the .xml files in `folder`, in natural order, of at most `most` entries.
std::vector<std::string> annotatedIds(const std::filesystem::path& folder,
                                      std::size_t most = SIZE_MAX);

}  // namespace headlight
