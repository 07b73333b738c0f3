// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/FolderLayout.h"

#include <algorithm>
#include <array>

#include "core/base/Text.h"
#include "core/data/ClassFolders.h"
#include "core/data/files/FolderEntries.h"
#include "core/data/files/SplitFolders.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

constexpr std::size_t kNamedClasses = 10;

namespace fs = std::filesystem;

bool isLabelTable(const std::string& name) {
  static const std::array<std::string, 6> kKinds{".csv",    ".tsv",     ".jsonl",
                                                 ".ndjson", ".parquet", ".xlsx"};
  return std::find(kKinds.begin(), kKinds.end(), PassedOver::kindOf(name)) != kKinds.end();
}

std::vector<std::string> without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& known) {
  std::vector<std::string> rest;
  for (const auto& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end()) rest.push_back(name);
  return rest;
}

/// The files of a folder where class folders were expected.
struct LooseFiles {
  std::int64_t images = 0;
  PassedOver others;

  explicit LooseFiles(const fs::path& folder) {
    for (const FolderEntry& entry : folderEntries(folder))
      if (!entry.folder && hasImageExtension(entry.name))
        ++images;
      else if (!entry.folder)
        others.addFile(entry.name);
  }
  std::string text() const {
    if (images > 0)
      return "holds " + countText(images, "image", "images") + " and no class folders";
    const std::string unread = others.text();
    return "has no class folders" + (unread.empty() ? "" : ", and " + unread);
  }
};

/// `like`: the split whose class folders show how it is done, where there is one.
void requireClasses(const fs::path& root, const fs::path& folder,
                    const std::vector<std::string>& names, const std::string& like) {
  if (names.size() >= (like.empty() ? 2u : 1u)) return;
  const LooseFiles loose(folder);
  std::string what = names.empty() ? loose.text() : "has a single class folder, " + names.front();
  const std::string own = labelTableIn(folder);
  const std::string table = own.empty() ? labelTableIn(root) : own;
  if (!table.empty()) what += ", and labels are not read from " + table;
  const bool flat = names.empty() && loose.images > 0;
  const std::string way =
      flat || !like.empty()
          ? "; put each image into a folder named after its class" +
                (like.empty() ? "" : ", as in " + like + "/")
          : "; expected train/ and val/, or at least two folders of images, one for each class";
  throw Failure({ErrorCode::InvalidFile, what + way, folder.string()});
}

/// A class of the training split may be missing from the other, but not the other way round.
void requireKnownClasses(const FolderLayout& layout, const fs::path& validation,
                         const std::vector<std::string>& there) {
  const auto unknown = without(there, layout.classNames);
  if (unknown.empty()) return;
  const auto missing = without(layout.classNames, there);
  std::string what = "its class folders are not those of " + layout.classesFolder.string() +
                     ": an additional " + joined(unknown, kNamedClasses);
  if (!missing.empty()) what += ", without " + joined(missing, kNamedClasses);
  throw Failure({ErrorCode::InvalidFile, what + "; name them alike, or remove what is additional",
                 validation.string()});
}

}  // namespace

FolderLayout folderLayout(const fs::path& root, Split split) {
  const SplitFolders splits = splitFoldersIn(root);
  FolderLayout layout;
  for (const std::string& note : splits.notes)
    layout.notes.push_back(root.string() + ": " + note);
  layout.shareOut = splits.validation.empty();
  layout.classesFolder = root;
  if (splits.any()) layout.classesFolder /= splits.train.empty() ? splits.validation : splits.train;
  layout.folder = layout.classesFolder;
  if (splits.any() && splits.train.empty() && split == Split::Train)
    throw Failure({ErrorCode::NotFound,
                   "has " + splits.validation +
                       "/ but no train/; put the training images there, a folder for each class",
                   root.string()});
  layout.classNames = classFolderNames(layout.classesFolder);
  requireClasses(root, layout.classesFolder, layout.classNames, "");
  if (splits.train.empty() || splits.validation.empty()) return layout;
  const fs::path validation = root / splits.validation;
  const auto there = classFolderNames(validation);
  requireClasses(root, validation, there, splits.train);
  requireKnownClasses(layout, validation, there);
  if (split == Split::Validation) layout.folder = validation;
  return layout;
}

bool holdsSplitFolders(const fs::path& root) {
  const auto names = classFolderNames(root);
  return std::any_of(names.begin(), names.end(), isSplitName);
}

std::string labelTableIn(const fs::path& folder) {
  std::vector<std::string> splits;
  for (const FolderEntry& entry : folderEntries(folder)) {
    if (!entry.folder && isLabelTable(entry.name)) return entry.name;
    if (entry.folder && isSplitName(entry.name)) splits.push_back(entry.name);
  }
  for (const std::string& split : splits)
    for (const FolderEntry& entry : folderEntries(folder / split))
      if (!entry.folder && isLabelTable(entry.name)) return split + "/" + entry.name;
  return "";
}

}  // namespace headlight
