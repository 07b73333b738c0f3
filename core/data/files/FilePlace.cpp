// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/FilePlace.h"

#include <algorithm>
#include <system_error>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/files/ArchivePlace.h"
#include "core/data/files/DataStamp.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class FolderPlace : public FilePlace {
 public:
  using FilePlace::FilePlace;

  bool onDisk() const override { return true; }
  std::vector<FolderEntry> entries(const std::string& folder, std::size_t most) const override {
    return folderEntries(path(folder), most);
  }
  bool hasFile(const std::string& name) const override {
    std::error_code code;
    return fs::is_regular_file(path(name), code);
  }
  Result<std::string> read(const std::string& name, std::uintmax_t most) const override {
    return readFile(path(name), most);
  }
  bool reachable() const override {
    std::error_code code;
    const fs::directory_iterator iterator(root(), code);
    return !code && iterator != fs::directory_iterator();
  }
  std::string stamp(const std::string& folder,
                    const std::vector<std::string>& names) const override {
    std::vector<fs::path> paths;
    for (const std::string& name : names)
      paths.push_back(path(name));
    return fileStamp(path(folder), paths);
  }
};

}  // namespace

std::shared_ptr<const FilePlace> openFilePlace(const fs::path& path) {
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) return std::make_shared<FolderPlace>(path);
  if (isArchive(path)) return openArchivePlace(path);
  const bool there = fs::exists(path, unknown);
  throw Failure(
      {there ? ErrorCode::UnsupportedFile : ErrorCode::NotFound,
       std::string(there ? tr("is a file, not a folder") : tr("does not exist")) +
           tr("; give a folder with train/ and val/, or with one folder of images per class"),
       path.string()});
}

bool leadsOutside(const std::string& name) {
  const fs::path path(name);
  return path.is_absolute() ||
         std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

bool holdsImages(const FilePlace& place, const std::string& folder, int depth) {
  std::vector<std::string> folders;
  for (const FolderEntry& entry : place.entries(folder, 1000)) {
    if (!entry.folder && hasImageExtension(entry.name)) return true;
    if (entry.folder) folders.push_back(nameIn(folder, entry.name));
  }
  return depth > 0 && std::any_of(folders.begin(), folders.end(), [&](const std::string& name) {
           return holdsImages(place, name, depth - 1);
         });
}

std::vector<std::string> folderNames(const FilePlace& place, const std::string& folder) {
  std::vector<std::string> names;
  for (FolderEntry& entry : place.entries(folder))
    if (entry.folder) names.push_back(std::move(entry.name));
  return names;
}

std::string nameIn(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : name.empty() ? folder : folder + "/" + name;
}

}  // namespace headlight
