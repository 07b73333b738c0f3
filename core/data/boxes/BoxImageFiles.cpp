// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/BoxImageFiles.h"

#include <algorithm>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/files/FilePlace.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

void requireNames(const BoxTruth& truth, const fs::path& annotations) {
  if (truth.images.empty())
    throw Failure({ErrorCode::InvalidFile, tr("lists no images"), annotations.string()});
  for (const BoxImage& image : truth.images)
    if (image.file.empty() || leadsOutside(image.file))
      throw Failure({ErrorCode::InvalidFile,
                     tr("image ") + std::to_string(image.id) + tr(" has the file_name \"") +
                         image.file + tr("\"; give a path below the image folder"),
                     annotations.string()});
}

bool isRegularFile(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

/// Folders that may hold the images of `annotations`, the likeliest first.
std::vector<fs::path> likelyFolders(const fs::path& annotations) {
  const std::string stem = annotations.stem().string();
  const std::string split = stem.substr(stem.rfind('_') + 1);  // all of it without '_'
  const fs::path here = annotations.parent_path();
  std::vector<fs::path> folders;
  for (const fs::path& base : {here, here / ".."})
    for (const fs::path& below :
         {fs::path(split), fs::path("images") / split, fs::path("images"), fs::path()})
      folders.push_back((base / below).lexically_normal());
  return folders;
}

/// The folder that has the first image.
fs::path findFolder(const BoxTruth& truth, const fs::path& annotations, const std::string& advice) {
  const std::string& first = truth.images.front().file;
  for (const fs::path& folder : likelyFolders(annotations))
    if (isRegularFile(folder / first)) return folder;
  throw Failure({ErrorCode::NotFound,
                 tr("no folder beside it has the image ") + first + "; " + advice,
                 annotations.string()});
}

void requireFiles(const std::vector<fs::path>& files, const fs::path& folder,
                  const std::string& advice) {
  const auto missing = [](const fs::path& file) { return !isRegularFile(file); };
  const auto count = std::count_if(files.begin(), files.end(), missing);
  if (count == 0) return;
  const fs::path& first = *std::find_if(files.begin(), files.end(), missing);
  throw Failure({ErrorCode::NotFound,
                 std::to_string(count) + tr(" of ") +
                     countText(static_cast<std::int64_t>(files.size()), tr("image is missing"),
                               tr("images are missing")) +
                     " (" + first.filename().string() + tr("); add them, ") + advice +
                     tr(", or remove them from the annotations"),
                 folder.string()});
}

}  // namespace

std::vector<fs::path> boxImageFiles(const BoxTruth& truth, const fs::path& annotations,
                                    const fs::path& folder, const std::string& advice) {
  requireNames(truth, annotations);
  const fs::path base = folder.empty() ? findFolder(truth, annotations, advice) : folder;
  std::vector<fs::path> files;
  for (const BoxImage& image : truth.images)
    files.push_back(base / image.file);
  requireFiles(files, base, advice);
  return files;
}

}  // namespace headlight
