// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/ImageFolder.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "core/base/Text.h"
#include "core/data/ClassFolders.h"
#include "core/data/FolderLayout.h"
#include "core/data/files/DataStamp.h"

namespace headlight {
namespace {

constexpr std::size_t kShownNames = 10;

namespace fs = std::filesystem;

class ImageFolder : public LabelledDataset {
 public:
  ImageFolder(fs::path root, std::vector<std::string> classNames)
      : m_root(std::move(root)), m_classNames(std::move(classNames)) {}

  void setNotes(std::vector<std::string> notes) { m_notes = std::move(notes); }
  void add(fs::path path, int label) { m_files.push_back({std::move(path), label}); }

  std::int64_t size() const override { return static_cast<std::int64_t>(m_files.size()); }
  const std::vector<std::string>& classNames() const override { return m_classNames; }
  int label(std::int64_t index) const override { return m_files.at(index).label; }
  std::string describe(std::int64_t index) const override {
    return m_files.at(index).path.string();
  }
  bool reachable() const override {
    std::error_code code;
    const fs::directory_iterator iterator(m_root, code);
    return !code && iterator != fs::directory_iterator();
  }
  std::string stamp() const override {
    std::vector<fs::path> paths;
    for (const File& file : m_files)
      paths.push_back(file.path);
    return fileStamp(m_root, paths);
  }
  std::vector<std::string> notes() const override { return m_notes; }
  Result<Sample> sample(std::int64_t index) const override {
    if (!has(index)) return missing(index);
    auto image = readImage(m_files[index].path);
    if (!image) return image.error();
    return Sample{std::move(image).value(), m_files[index].label};
  }
  Result<SamplePart> part(std::int64_t index, const ChoosePart& choose) const override {
    if (!has(index)) return missing(index);
    auto image = readImagePart(m_files[index].path, choose);
    if (!image) return image.error();
    return SamplePart{std::move(image).value(), m_files[index].label};
  }

 private:
  struct File {
    fs::path path;
    int label = 0;
  };
  bool has(std::int64_t index) const { return index >= 0 && index < size(); }
  Error missing(std::int64_t index) const {
    return {ErrorCode::InvalidArgument, "there is no sample " + std::to_string(index),
            m_root.string()};
  }

  fs::path m_root;
  std::vector<std::string> m_classNames;
  std::vector<std::string> m_notes;
  std::vector<File> m_files;
};

void requireFolder(const fs::path& path) {
  if (isFolder(path)) return;
  std::error_code unknown;
  const bool there = fs::exists(path, unknown);
  throw Failure({there ? ErrorCode::UnsupportedFile : ErrorCode::NotFound,
                 std::string(there ? "is a file, not a folder" : "there is no such folder") +
                     "; give one with train/ and val/, or with a folder of images for each class",
                 path.string()});
}

/// Throws where a class has no image; of a validation split beside a training split it is said.
void checkEmptyClasses(const FolderLayout& layout, const std::vector<std::string>& empty,
                       const Leftovers& leftovers, std::vector<std::string>& notes) {
  if (empty.empty()) return;
  const bool all = empty.size() == layout.classNames.size();
  if (layout.mayLackClasses() && !all) {
    notes.push_back(layout.folder.string() + ": has no image of " + joined(empty, kShownNames) +
                    ", so " + (empty.size() > 1 ? "these classes are" : "this class is") +
                    " not validated");
    return;
  }
  const std::string unread = leftovers.files.text();
  throw Failure({ErrorCode::InvalidFile,
                 "no image that is read in the class folder" +
                     std::string(empty.size() > 1 ? "s " : " ") + joined(empty, kShownNames) +
                     "; " + (unread.empty() ? "" : unread + ", and ") + "fill or remove " +
                     (empty.size() > 1 ? "the folders" : "the folder"),
                 layout.folder.string()});
}

void noteLeftovers(const fs::path& folder, const Leftovers& leftovers,
                   std::vector<std::string>& notes) {
  if (const std::string text = leftovers.files.text(); !text.empty())
    notes.push_back(folder.string() + ": " + text);
  if (leftovers.imagesBeside > 0)
    notes.push_back(folder.string() + ": " +
                    countText(leftovers.imagesBeside, "image lies", "images lie") +
                    " beside the class folders and " +
                    (leftovers.imagesBeside == 1 ? "is" : "are") + " not used");
}

OpenedSource openFolderOfClasses(const DatasetSpec& spec, Split split) {
  requireFolder(spec.path);
  const FolderLayout layout = folderLayout(spec.path, split);
  Leftovers leftovers;
  std::map<std::string, std::vector<std::string>> pictures;
  for (ClassOfPictures& one : picturesOfClasses(layout.folder, &leftovers))
    pictures[one.name] = std::move(one.pictures);

  auto dataset = std::make_unique<ImageFolder>(layout.folder, layout.classNames);
  std::vector<std::string> notes = layout.notes, empty;
  for (std::size_t label = 0; label < layout.classNames.size(); ++label) {
    const std::string& name = layout.classNames[label];
    if (pictures[name].empty()) empty.push_back(name);
    for (const std::string& picture : pictures[name])
      dataset->add(layout.folder / name / picture, static_cast<int>(label));
  }
  checkEmptyClasses(layout, empty, leftovers, notes);
  noteLeftovers(layout.folder, leftovers, notes);
  dataset->setNotes(std::move(notes));
  return {std::move(dataset), layout.shareOut};
}

bool hasImage(const fs::path& folder, int depth) {
  if (depth > 3) return false;
  std::error_code code;
  fs::directory_iterator iterator(folder, code);
  std::vector<fs::path> folders;
  for (int seen = 0; !code && iterator != fs::directory_iterator() && seen < 1000;
       iterator.increment(code), ++seen) {
    if (iterator->path().filename().native().starts_with('.')) continue;
    if (isFolder(iterator->path()))
      folders.push_back(iterator->path());
    else if (hasImageExtension(iterator->path()))
      return true;
  }
  return std::any_of(folders.begin(), folders.end(),
                     [&](const fs::path& path) { return hasImage(path, depth + 1); });
}

}  // namespace

Result<OpenedSource> openImageFolder(const DatasetSpec& spec, Split split) {
  return guarded(spec.path.string(), [&] { return openFolderOfClasses(spec, split); });
}

bool looksLikeImageFolder(const fs::path& path) {
  const auto outcome = guarded(path.string(), [&] {
    if (!isFolder(path)) return false;
    const FolderLayout layout = folderLayout(path, Split::Validation);
    const fs::path& folder = layout.classesFolder;
    const auto& names = layout.classNames;
    return names.size() >= 2 && hasImage(folder / names[0], 0) && hasImage(folder / names[1], 0);
  });
  return outcome.ok() && *outcome;
}

}  // namespace headlight
