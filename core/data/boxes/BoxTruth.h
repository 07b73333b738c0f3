// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The true boxes of a dataset for detection, from COCO's JSON.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/boxes/BoxMatcher.h"
#include "core/base/Result.h"

namespace headlight {

struct BoxImage {
  std::int64_t id = 0;
  std::string file;           ///< as the file says: a path; may be empty
  int width = 0, height = 0;  ///< in pixels; 0: the file does not say
};

struct BoxCategory {
  std::int64_t id = 0;
  std::string name;  ///< "category 7" where the file has none
};

/// Images and categories are in the order of their ids; boxes, in the order of the file, have their
/// places in these lists.
struct BoxTruth {
  std::vector<BoxImage> images;
  std::vector<BoxCategory> categories;
  std::vector<TrueBox> boxes;
  /// What people should know, a sentence each: what was left out, as pycocotools leaves it out, and
  /// boxes that reach beyond their image.
  std::vector<std::string> notes;

  std::vector<std::string> categoryNames() const;
  /// Of an id, in its list; -1: it is not there.
  int imagePlace(std::int64_t id) const;
  int categoryPlace(std::int64_t id) const;
};

/// Larger files are refused: all of COCO's training set (118,287 images) has 450 MB.
inline constexpr std::uintmax_t kMostTruthBytes = std::uintmax_t{2} << 30;

/// COCO's `images` (id; file_name, width, height), `annotations` (id, image_id, category_id, bbox
/// [x, y, width, height]; area, else that of the box; iscrowd, else 0) and `categories` (id; name).
/// Segmentations are passed over. Errors (InvalidFile), which name the record: no such lists, an id
/// that is missing, no whole number or there twice, a bbox that is not four numbers with sizes of 0
/// or more, an area below 0, an iscrowd other than 0 and 1, a file beyond kMostTruthBytes.
Result<BoxTruth> readBoxTruth(const std::filesystem::path& path);
/// The same of the file's text; `where` is for messages.
Result<BoxTruth> boxTruthFromText(std::string_view text, const std::string& where);

/// Its `categories` alone, in the order of their ids; errors are those that concern them.
Result<std::vector<BoxCategory>> readBoxCategories(const std::filesystem::path& path);

}  // namespace headlight
