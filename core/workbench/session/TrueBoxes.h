// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The true boxes of images that are files of a dataset. No torch type here.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/boxes/LabeledBox.h"
#include "core/base/Result.h"

namespace headlight {

struct TrueBoxes {
  LabeledBoxes boxes;                   ///< in pixels of the image
  std::vector<std::string> classNames;  ///< of the dataset, by label
};

/// The class that a model calls as the dataset calls `label`; else `label` itself.
int classCalledAlike(int label, const TrueBoxes& truth, const std::vector<std::string>& names);

/// The boxes of all images of a place on disk, by file.
class TrueBoxIndex {
 public:
  /// COCO's folder or file of annotations, or Pascal VOC's folder; both splits. Errors: InvalidFile
  /// for a place of another layout; those of reading it.
  static Result<TrueBoxIndex> open(const std::filesystem::path& data);

  /// Of this file, or of the only one that has its name, upright as the image is opened; nothing
  /// where the dataset has none.
  std::optional<TrueBoxes> of(const std::filesystem::path& image) const;

 private:
  struct File {
    std::filesystem::path path;
    int width = 0, height = 0;  ///< as the annotations say; 0: they do not
    LabeledBoxes boxes;
  };
  std::multimap<std::string, File> m_files;  ///< by name
  std::vector<std::string> m_classNames;
};

}  // namespace headlight
