// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The true classes of the pixels of images that are files of a dataset. No torch type here.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/data/segments/SegmentSource.h"
#include "core/imaging/ClassImage.h"

namespace headlight {

struct TrueSegments {
  ClassImage segments;                  ///< of the image's size; kIgnoredClass: unknown
  std::vector<std::string> classNames;  ///< of the dataset, by label
};

/// With the class that a model calls as the dataset does in place of each label; labels of other
/// names stay as they are.
ClassImage asModelClasses(const TrueSegments& truth, const std::vector<std::string>& names);

/// Pixels with a known truth, and those of them that are predicted so.
struct PixelAgreement {
  std::int64_t known = 0, right = 0;
  double share() const {
    return known > 0 ? static_cast<double>(right) / static_cast<double>(known) : 0;
  }
};
/// Both of one size.
PixelAgreement pixelAgreement(const ClassImage& truth, const ClassImage& predicted);

/// The label images of a place on disk, by image file. They are read when they are asked for.
class TrueSegmentIndex {
 public:
  /// A folder of ADE20K, Cityscapes or of images with label images; both splits. Errors:
  /// InvalidFile for a place of another layout; those of reading it.
  static Result<TrueSegmentIndex> open(const std::filesystem::path& data);

  /// Of this file, or of the only one that has its name, upright as the image is opened; nothing
  /// where the dataset has none. Errors: those of reading the label image.
  Result<std::optional<TrueSegments>> of(const std::filesystem::path& image) const;

 private:
  const SegmentedFile* find(const std::filesystem::path& image) const;

  std::multimap<std::string, SegmentedFile> m_files;  ///< by the image's name
  SegmentClasses m_classes;
};

}  // namespace headlight
