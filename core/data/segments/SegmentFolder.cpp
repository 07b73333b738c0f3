// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/segments/SegmentFolder.h"

#include <system_error>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/data/files/FilePlace.h"
#include "core/data/files/SplitFolders.h"
#include "core/data/segments/LabelPairs.h"
#include "core/data/segments/SegmentTable.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

bool isSegmentPart(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

/// Empty: there is none.
fs::path labelFolderOf(const fs::path& path) {
  for (const char* name : {"labels", "annotations", "masks"})
    if (isSegmentPart(path / name)) return path / name;
  return {};
}

[[noreturn]] void refuseSegmentFolder(const std::string& message, const fs::path& path) {
  throw Failure({ErrorCode::NotFound, message, path.string()});
}

fs::path requireTable(const fs::path& path) {
  fs::path table = segmentTableIn(path);
  if (table.empty())
    refuseSegmentFolder(tr("has no table of classes; expected classes.txt or classes.csv with a "
                           "line \"index, name\" or \"index, name, red, green, blue\" for each "
                           "class"),
                        path);
  return table;
}

fs::path requireLabels(const fs::path& path) {
  if (!isSegmentPart(path / "images"))
    refuseSegmentFolder(tr("has no folder images; expected images beside labels, annotations or "
                           "masks"),
                        path);
  fs::path labels = labelFolderOf(path);
  if (labels.empty())
    refuseSegmentFolder(tr("has no folder labels, annotations or masks beside images"), path);
  return labels;
}

/// The folder of `labels` that is the split of `name` in the images: called alike, or else the one
/// that names the same split.
fs::path matchingSplit(const fs::path& labels, const std::string& name) {
  if (name.empty() || isSegmentPart(labels / name)) return labels / name;
  const auto place = openFilePlace(labels);
  for (const std::string& folder : folderNames(*place, ""))
    if (splitWord(folder) == splitWord(name)) return labels / folder;
  return labels / name;
}

}  // namespace

SegmentSource readSegmentFolder(const fs::path& path, bool train) {
  const fs::path labels = requireLabels(path), table = requireTable(path);
  SegmentSource source;
  source.classes = readSegmentTable(table);
  source.tables = {table};
  const SplitFolders splits = splitFoldersIn(*openFilePlace(path / "images"));
  source.shareOut = splits.train.empty() || splits.validation.empty();
  if (splits.train.empty() && !splits.validation.empty())
    refuseSegmentFolder(tr("has a validation split, but none for training; add train"),
                        path / "images");
  const std::string split = train || source.shareOut ? splits.train : splits.validation;
  LabelPairs pairs = pairLabels(path / "images" / split, matchingSplit(labels, split));
  source.images = std::move(pairs.files);
  for (const std::string& note : splits.notes)
    source.notes.push_back((path / "images").string() + ": " + note);
  source.notes.insert(source.notes.end(), pairs.notes.begin(), pairs.notes.end());
  return source;
}

bool looksLikeSegmentFolder(const fs::path& path) {
  const auto found = guarded(path.string(), [&] {
    const fs::path labels = labelFolderOf(path);
    return !labels.empty() && isSegmentPart(path / "images") && !segmentTableIn(path).empty() &&
           holdsLabels(labels);
  });
  return found.ok() && *found;
}

}  // namespace headlight
