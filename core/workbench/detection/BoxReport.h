// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Average precision of found boxes, as programs show it. No torch type here.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/analysis/boxes/AveragePrecision.h"
#include "core/base/Result.h"
#include "core/data/boxes/BoxResults.h"

namespace headlight {

struct BoxReport {
  std::int64_t images = 0, trueBoxes = 0, foundBoxes = 0;
  AveragePrecision precision;
  std::vector<BoxCategory> categories;      ///< in the order of precision.classes
  std::vector<std::int64_t> categoryBoxes;  ///< true boxes of each
  std::vector<std::string> notes;           ///< what people should know, a sentence each
  std::string classMatch;                   ///< of a detector: ClassMatch::text
  double imagesPerSecond = 0;               ///< of a detector
};

/// Measures `found`, whose images and categories are places in the lists of `truth`.
BoxReport measureBoxes(BoxTruth truth, BoxResults found);

/// COCO's results compared with COCO's annotations; no image is read. Errors: those of
/// readBoxTruth() and readBoxResults(), and annotations without images or categories.
Result<BoxReport> evaluateBoxFiles(const std::filesystem::path& truth,
                                   const std::filesystem::path& results);

/// The annotations of a file. Errors: as evaluateBoxFiles().
Result<BoxTruth> openBoxTruth(const std::filesystem::path& path);

}  // namespace headlight
