// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/Export.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/DataNotes.h"

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

ExportReport write(const Dataset& dataset, const fs::path& folder, const ProgressCallback& progress,
                   const std::stop_token& stop) {
  requireFresh(folder);
  const auto folders = makeClassFolders(dataset, folder);
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
      writeImage(folders.at(sample->label) / numbered(i, dataset.size()),
                 valueOrThrow(encodePng(sample->image)), report.written);
      ++report.written;
    }
    if (progress)
      progress({"writing " + folder.filename().string(), i + 1, dataset.size(),
                remaining.secondsRemaining(i + 1, dataset.size())});
  }
  return report;
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
    ExportReport report = write(*train, folder / "train", progress, stop);
    const ExportReport second = write(*validation, folder / "val", progress, stop);
    report.written += second.written;
    report.skipped.insert(report.skipped.end(), second.skipped.begin(), second.skipped.end());
    return report;
  });
}

}  // namespace headlight
