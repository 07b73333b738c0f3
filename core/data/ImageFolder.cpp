// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/ImageFolder.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/FolderLayout.h"
#include "core/data/ImageLists.h"
#include "core/data/LabeledFiles.h"
#include "core/data/files/ArchivePlace.h"
#include "core/data/files/ClassFolders.h"
#include "core/data/labels/PlaceLists.h"

namespace headlight {
namespace {

constexpr std::size_t kShownNames = 10;

namespace fs = std::filesystem;

/// Throws where a class has no image; of a validation split beside a training split it is said.
void checkEmptyClasses(const fs::path& folder, const FolderLayout& layout,
                       const std::vector<std::string>& empty, const Leftovers& leftovers,
                       std::vector<std::string>& notes) {
  if (empty.empty()) return;
  const bool all = empty.size() == layout.classNames.size();
  if (layout.mayLackClasses() && !all) {
    notes.push_back(folder.string() + ": has no images of " + joined(empty, kShownNames) + ", so " +
                    (empty.size() > 1 ? "these classes are" : "this class is") + " not validated");
    return;
  }
  const std::string unread = leftovers.files.text();
  throw Failure({ErrorCode::InvalidFile,
                 tr("no readable image in the class folder") +
                     std::string(empty.size() > 1 ? "s " : " ") + joined(empty, kShownNames) +
                     "; " + (unread.empty() ? "" : unread + ", and ") + tr("fill or remove ") +
                     (empty.size() > 1 ? tr("the folders") : tr("the folder")),
                 folder.string()});
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

/// Why the lists that lie there say nothing of the images, behind what is wrong with the folders.
[[noreturn]] void refuseWithLists(const FilePlace& place, Error error) {
  for (const std::string& refusal : refusedLists(place))
    error.message += "; " + refusal;
  throw Failure(error);
}

OpenedSource openFolders(const std::shared_ptr<const FilePlace>& place, Split split) {
  const FolderLayout layout = folderLayout(*place, split);
  const fs::path folder = place->path(layout.folder);
  Leftovers leftovers;
  std::map<std::string, std::vector<std::string>> images;
  for (ClassOfImages& one : imagesOfClasses(*place, layout.folder, &leftovers))
    images[one.name] = std::move(one.images);

  auto dataset = std::make_unique<LabeledFiles>(place, layout.folder, layout.classNames);
  std::vector<std::string> notes = layout.notes, empty;
  for (std::size_t label = 0; label < layout.classNames.size(); ++label) {
    const std::string& name = layout.classNames[label];
    if (images[name].empty()) empty.push_back(name);
    for (const std::string& image : images[name])
      dataset->add(nameIn(nameIn(layout.folder, name), image), static_cast<int>(label));
  }
  checkEmptyClasses(folder, layout, empty, leftovers, notes);
  noteLeftovers(folder, leftovers, notes);
  dataset->setNotes(std::move(notes));
  return {std::move(dataset), layout.shareOut};
}

/// Shards of WebDataset say the class of an image in a file beside it.
bool holdsClassFiles(const FilePlace& place, const std::string& folder) {
  if (place.onDisk()) return false;
  for (const FolderEntry& entry : place.entries(folder, 1000))
    if (entry.folder ? holdsClassFiles(place, nameIn(folder, entry.name))
                     : entry.name.ends_with(".cls"))
      return true;
  return false;
}

/// A table of something else may name an image by chance.
bool labelsMostOf(const ListedFiles& list) {
  const auto found = static_cast<std::int64_t>(list.files.size());
  return found > list.missing &&
         std::any_of(list.files.begin(), list.files.end(), [&](const ListedFile& file) {
           return file.label != list.files.front().label;
         });
}

bool isListFile(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown) && mayBeLabelList(path.filename().string());
}

OpenedSource openPlace(const DatasetSpec& spec, Split split) {
  if (isListFile(spec.path)) {
    const fs::path folder = spec.path.has_parent_path() ? spec.path.parent_path() : fs::path(".");
    return openImageLists(openFilePlace(folder), listAt(spec.path), split);
  }
  const auto place = openFilePlace(spec.path);
  if (auto lists = listsIn(*place)) return openImageLists(place, std::move(*lists), split);
  auto opened = guarded(spec.path.string(), [&] { return openFolders(place, split); });
  if (!opened) refuseWithLists(*place, opened.error());
  return std::move(*opened);
}

}  // namespace

Result<OpenedSource> openImageFolder(const DatasetSpec& spec, Split split) {
  return guarded(spec.path.string(), [&] { return openPlace(spec, split); });
}

bool looksLikeImageFolder(const fs::path& path) {
  const auto outcome = guarded(path.string(), [&] {
    if (isListFile(path)) return labelsMostOf(*listAt(path).train.list);
    if (!isFolder(path) && !isArchive(path)) return false;
    const auto place = openFilePlace(path);
    if (holdsClassFiles(*place, "")) return false;
    if (listsIn(*place)) return true;
    const FolderLayout layout = folderLayout(*place, Split::Validation);
    const auto& names = layout.classNames;
    return names.size() >= 2 && holdsImages(*place, nameIn(layout.classesFolder, names[0])) &&
           holdsImages(*place, nameIn(layout.classesFolder, names[1]));
  });
  return outcome.ok() && *outcome;
}

}  // namespace headlight
