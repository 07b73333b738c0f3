// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Any dataset as a folder of PNG files that ImageFolder, and other programs, can open.

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "core/base/Progress.h"
#include "core/data/Dataset.h"

namespace headlight {

struct ExportReport {
  std::int64_t written = 0;
  std::vector<SkippedFile> skipped;  ///< samples that could not be read
};

/// Writes folder/CLASS/NUMBER.png. `folder` is made; one that holds anything already is refused.
/// Characters of a class name that a folder cannot have become '_'; every class gets its folder.
/// A failed write (a full disk) is an error that says what was written. Canceled between images.
Result<ExportReport> writeImageFolder(const Dataset& dataset, const std::filesystem::path& folder,
                                      const ProgressCallback& progress = {},
                                      std::stop_token stop = {});

/// Both splits of `spec`: folder/train/… and folder/val/…; of data with a class for every pixel a
/// folder that SegmentFolder.h reads: images/train, labels/train, …, and classes.csv.
Result<ExportReport> writeImageFolders(const DatasetSpec& spec, const std::filesystem::path& folder,
                                       const ProgressCallback& progress = {},
                                       std::stop_token stop = {});

}  // namespace headlight
