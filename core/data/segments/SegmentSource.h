// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images with label images as a place on disk has them, of whatever layout.

#include <filesystem>
#include <string>
#include <vector>

#include "core/data/segments/SegmentClasses.h"

namespace headlight {

struct SegmentedFile {
  std::filesystem::path image, label;
};

/// A split, or what is to be shared out.
struct SegmentSource {
  std::vector<SegmentedFile> images;
  std::vector<std::filesystem::path> tables;  ///< of classes, that were read
  SegmentClasses classes;
  std::vector<std::string> notes;  ///< as Dataset::notes
  bool shareOut = false;           ///< the place has no split for validation
};

}  // namespace headlight
