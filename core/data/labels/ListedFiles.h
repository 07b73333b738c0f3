// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The files that a list of labels names, found in a place.

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/files/FilePlace.h"
#include "core/data/labels/LabelList.h"

namespace headlight {

struct ListedFile {
  std::string name;  ///< in the place
  std::string label;
  std::string split;
};

struct ListedFiles {
  std::string list;  ///< the list's name in the place
  std::vector<ListedFile> files;
  std::int64_t missing = 0;  ///< rows whose image is not there
  std::string firstMissing;

  /// "labels are read from train.csv; 3 of its 100 images are missing (a.jpg, …)".
  std::string note() const;
};

/// Names are looked for in the folders `bases`, in the one that has most of the first rows; those
/// without an image's ending with each of the usual ones. `outside`: names may lead out of the
/// place. Throws Failure (InvalidFile): names that lead out though they may not, one image with two
/// classes. Finding none is no failure.
ListedFiles findListed(const FilePlace& place, const std::string& list, const LabelList& rows,
                       const std::vector<std::string>& bases, bool outside = false);

}  // namespace headlight
