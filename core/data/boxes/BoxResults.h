// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Found boxes as COCO's results: [{"image_id", "category_id", "bbox": [x, y, width, height],
// "score"}, …].

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/boxes/BoxTruth.h"

namespace headlight {

struct BoxResults {
  std::vector<FoundBox> boxes;     ///< in the order of the file
  std::vector<std::string> notes;  ///< what was left out, as pycocotools leaves it out
};

/// Results for the images and categories of `truth`, of at most kMostTruthBytes. Boxes of
/// categories that it does not list are left out. Errors (InvalidFile), which name the record: no
/// list, an image that the truth does not list, a bbox or a score that is missing or of another
/// kind, a negative size.
Result<BoxResults> readBoxResults(const std::filesystem::path& path, const BoxTruth& truth);
/// The same of the file's text; `where` is for messages.
Result<BoxResults> boxResultsFromText(std::string_view text, const std::string& where,
                                      const BoxTruth& truth);

/// Writes them with the ids of `truth`. Numbers read back as the same.
Result<void> writeBoxResults(const std::filesystem::path& path, const std::vector<FoundBox>& boxes,
                             const BoxTruth& truth);

}  // namespace headlight
