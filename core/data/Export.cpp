// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/Export.h"

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/DataNotes.h"
#include "core/data/segments/SegmentTable.h"
#include "core/imaging/ClassPng.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string folderName(const std::string& className) {
  return folderNameFrom(className, "_");
}

void makeFolder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code)
    throw Failure(
        {ErrorCode::Io, tr("could not create this folder: ") + code.message(), folder.string()});
}

void requireFresh(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_empty(folder, code))
    throw Failure({ErrorCode::InvalidArgument, tr("is not empty; choose an empty or a new folder"),
                   folder.string()});
}

std::vector<fs::path> makeClassFolders(const Dataset& dataset, const fs::path& folder) {
  std::vector<fs::path> folders;
  std::set<std::string> taken;
  for (const std::string& name : dataset.classNames()) {
    if (!taken.insert(folderName(name)).second)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("two classes would share the folder name \"") + folderName(name) + "\"",
                     folder.string()});
    folders.push_back(folder / folderName(name));
    makeFolder(folders.back());
  }
  return folders;
}

void writeImage(const fs::path& path, const std::string& png, std::int64_t written) {
  const auto outcome = writeNewFile(path, png);
  if (outcome) return;
  Error error = outcome.error();
  error.message += "; " + countText(written, "image was", "images were") + " written before";
  throw Failure(error);
}

std::string numbered(std::int64_t index, std::int64_t count) {
  const std::string number = std::to_string(index);
  const std::size_t width = std::max<std::size_t>(5, std::to_string(count - 1).size());
  return std::string(width - number.size(), '0') + number + ".png";
}

/// Writes a sample as a file of this name; so many were written before.
using SaveSample =
    std::function<void(const Sample& sample, const std::string& name, std::int64_t written)>;

ExportReport writeSamples(const Dataset& dataset, const fs::path& folder,
                          const ProgressCallback& progress, const std::stop_token& stop,
                          const SaveSample& save) {
  RemainingTime remaining;
  remaining.start(0);
  ExportReport report;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    if (stop.stop_requested())
      throw Failure({ErrorCode::Canceled,
                     tr("stopped after ") + countText(report.written, "image", "images"),
                     folder.string()});
    const auto sample = dataset.sample(i);
    if (!sample) {
      report.skipped.push_back({dataset.describe(i), sample.error().message});
    } else {
      save(*sample, numbered(i, dataset.size()), report.written);
      ++report.written;
    }
    if (progress)
      progress({"writing " + folder.filename().string(), i + 1, dataset.size(),
                remaining.secondsRemaining(i + 1, dataset.size())});
  }
  return report;
}

ExportReport write(const Dataset& dataset, const fs::path& folder, const ProgressCallback& progress,
                   const std::stop_token& stop) {
  if (dataset.hasBoxes() || dataset.hasSegments())
    throw Failure({ErrorCode::InvalidArgument,
                   dataset.hasBoxes()
                       ? tr("class folders cannot hold boxes; choose data with a class for each "
                            "image")
                       : tr("class folders cannot hold a class for every pixel; choose data with "
                            "a class for each image"),
                   folder.string()});
  requireFresh(folder);
  const auto folders = makeClassFolders(dataset, folder);
  return writeSamples(dataset, folder, progress, stop,
                      [&](const Sample& sample, const std::string& name, std::int64_t written) {
                        writeImage(folders.at(sample.label) / name,
                                   valueOrThrow(encodePng(sample.image)), written);
                      });
}

ClassPalette paletteOf(const Dataset& dataset) {
  ClassPalette palette{};
  const auto colors = dataset.classColors();
  std::copy_n(colors.begin(), std::min(colors.size(), std::size_t{kIgnoredClass}), palette.begin());
  palette[kIgnoredClass] = kIgnoredColor;
  return palette;
}

/// As readSegmentFolder() reads it: images/SPLIT and labels/SPLIT of `folder`.
ExportReport writeSegmentSplit(const Dataset& dataset, const fs::path& folder, const char* split,
                               const ProgressCallback& progress, const std::stop_token& stop) {
  const fs::path images = folder / "images" / split, labels = folder / "labels" / split;
  makeFolder(images);
  makeFolder(labels);
  const ClassPalette colors = paletteOf(dataset);
  return writeSamples(dataset, folder / split, progress, stop,
                      [&](const Sample& sample, const std::string& name, std::int64_t written) {
                        writeImage(images / name, valueOrThrow(encodePng(sample.image)), written);
                        writeImage(labels / name,
                                   valueOrThrow(encodeClassPng(sample.segments, colors)), written);
                      });
}

void writeClassTable(const Dataset& dataset, const fs::path& folder) {
  makeFolder(folder);
  valueOrThrow(writeNewFile(folder / "classes.csv",
                            segmentTableText(dataset.classNames(), dataset.classColors())));
}

}  // namespace

Result<ExportReport> writeImageFolder(const Dataset& dataset, const fs::path& folder,
                                      const ProgressCallback& progress, std::stop_token stop) {
  return guarded(folder.string(), [&] { return write(dataset, folder, progress, stop); });
}

Result<ExportReport> writeImageFolders(const DatasetSpec& spec, const fs::path& folder,
                                       const ProgressCallback& progress, std::stop_token stop) {
  return guarded(folder.string(), [&] {
    requireFresh(folder);
    const auto train = valueOrThrow(openDataset(spec, Split::Train));
    const auto validation = valueOrThrow(openDataset(spec, Split::Validation));
    logNotes(describeSplits(*train, *validation));
    const bool segments = train->hasSegments();
    if (segments) writeClassTable(*train, folder);
    const auto writeSplit = [&](const Dataset& dataset, const char* split) {
      return segments ? writeSegmentSplit(dataset, folder, split, progress, stop)
                      : write(dataset, folder / split, progress, stop);
    };
    ExportReport report = writeSplit(*train, "train");
    const ExportReport second = writeSplit(*validation, "val");
    report.written += second.written;
    report.skipped.insert(report.skipped.end(), second.skipped.begin(), second.skipped.end());
    return report;
  });
}

}  // namespace headlight
