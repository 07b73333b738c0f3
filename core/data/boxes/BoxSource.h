// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images with boxes as a place on disk has them, of whatever format.

#include <filesystem>
#include <string>
#include <vector>

#include "core/analysis/boxes/LabeledBox.h"

namespace headlight {

struct BoxedFile {
  std::filesystem::path path;
  int width = 0, height = 0;  ///< as the annotations say; 0: they do not
  LabeledBoxes boxes;         ///< all of them, as they are, crowds too
};

/// A split, or what is to be shared out.
struct BoxSource {
  std::vector<BoxedFile> images;
  std::vector<std::filesystem::path> annotations;  ///< that were read
  std::vector<std::string> classNames;
  std::vector<std::string> notes;  ///< as Dataset::notes
  bool shareOut = false;           ///< the place has no split for validation
};

}  // namespace headlight
