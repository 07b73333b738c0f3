// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/FolderLayout.h"

#include <algorithm>
#include <array>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/files/PassedOver.h"
#include "core/data/files/SplitFolders.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

constexpr std::size_t kNamedClasses = 10;
constexpr std::size_t kLookedAt = 1000;  // entries of a folder

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

  LooseFiles(const FilePlace& place, const std::string& folder) {
    for (const FolderEntry& entry : place.entries(folder))
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

/// The first Parquet file in the place or in a folder of it; empty: there is none.
std::string parquetIn(const FilePlace& place) {
  std::vector<std::string> folders{""};
  for (std::string& name : folderNames(place, ""))
    folders.push_back(std::move(name));
  for (const std::string& folder : folders)
    for (const FolderEntry& entry : place.entries(folder, kLookedAt))
      if (!entry.folder && PassedOver::kindOf(entry.name) == ".parquet")
        return nameIn(folder, entry.name);
  return "";
}

void refuseParquet(const FilePlace& place) {
  const std::string file = parquetIn(place);
  if (!file.empty())
    throw Failure({ErrorCode::UnsupportedFile,
                   tr("holds Parquet files, which are not read here (") + file +
                       tr("); in Python, write the images of their rows into one folder per class "
                          "and give their parent folder"),
                   place.root().string()});
}

/// `like`: the split whose class folders show how it is done, where there is one.
void requireClasses(const FilePlace& place, const std::string& folder,
                    const std::vector<std::string>& names, const std::string& like) {
  if (names.size() >= (like.empty() ? 2u : 1u)) return;
  refuseParquet(place);
  const LooseFiles loose(place, folder);
  std::string what = names.empty() ? loose.text() : "has a single class folder, " + names.front();
  const std::string own = labelTableIn(place, folder);
  const std::string table = own.empty() ? labelTableIn(place) : own;
  if (!table.empty())
    what += ", and " + table + tr(" does not name images that are there, with their classes");
  const bool flat = names.empty() && loose.images > 0;
  const std::string remedy =
      flat || !like.empty()
          ? "; put each image into a folder named after its class" +
                (like.empty() ? "" : ", as in " + like + "/")
          : "; expected train/ and val/, or at least two folders of images, one per class";
  throw Failure({ErrorCode::InvalidFile, what + remedy, place.path(folder).string()});
}

/// A class of the training split may be missing from the other, but not the other way round.
void requireKnownClasses(const FilePlace& place, const FolderLayout& layout,
                         const std::string& validation, const std::vector<std::string>& there) {
  const auto unknown = without(there, layout.classNames);
  if (unknown.empty()) return;
  const auto missing = without(layout.classNames, there);
  std::string what = "its class folders differ from those of " +
                     place.path(layout.classesFolder).string() + ": an additional " +
                     joined(unknown, kNamedClasses);
  if (!missing.empty()) what += ", without " + joined(missing, kNamedClasses);
  throw Failure({ErrorCode::InvalidFile,
                 what + tr("; use the same names, or remove the additional folders"),
                 place.path(validation).string()});
}

/// A test split is often published without its classes; a validation split has them.
bool isUnlabeledTest(const FilePlace& place, const std::string& folder,
                     const std::vector<std::string>& folders) {
  return splitWord(folder) == SplitWord::Test && folders.empty() && holdsImages(place, folder, 0);
}

}  // namespace

FolderLayout folderLayout(const FilePlace& place, Split split) {
  const SplitFolders splits = splitFoldersIn(place);
  const std::string root = place.root().string();
  FolderLayout layout;
  for (const std::string& note : splits.notes)
    layout.notes.push_back(root + ": " + note);
  layout.shareOut = splits.validation.empty();
  layout.classesFolder = splits.train.empty() ? splits.validation : splits.train;
  layout.folder = layout.classesFolder;
  if (splits.any() && splits.train.empty() && split == Split::Train)
    throw Failure({ErrorCode::NotFound,
                   "has " + splits.validation +
                       tr("/ but no train/; put the training images there, one folder per class"),
                   root});
  layout.classNames = folderNames(place, layout.classesFolder);
  requireClasses(place, layout.classesFolder, layout.classNames, "");
  if (splits.train.empty() || splits.validation.empty()) return layout;
  const auto there = folderNames(place, splits.validation);
  if (isUnlabeledTest(place, splits.validation, there)) {
    layout.notes.push_back(root + ": " + splits.validation +
                           "/ has images without classes and is not used");
    layout.shareOut = true;
    return layout;
  }
  requireClasses(place, splits.validation, there, splits.train);
  requireKnownClasses(place, layout, splits.validation, there);
  if (split == Split::Validation) layout.folder = splits.validation;
  return layout;
}

bool holdsSplitFolders(const FilePlace& place) {
  const auto names = folderNames(place, "");
  return std::any_of(names.begin(), names.end(), isSplitName);
}

std::string labelTableIn(const FilePlace& place, const std::string& folder) {
  std::vector<std::string> splits;
  for (const FolderEntry& entry : place.entries(folder)) {
    if (!entry.folder && isLabelTable(entry.name)) return entry.name;
    if (entry.folder && isSplitName(entry.name)) splits.push_back(entry.name);
  }
  for (const std::string& split : splits)
    for (const FolderEntry& entry : place.entries(nameIn(folder, split)))
      if (!entry.folder && isLabelTable(entry.name)) return nameIn(split, entry.name);
  return "";
}

}  // namespace headlight
