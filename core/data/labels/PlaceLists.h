// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which lists of labels belong to which split of a place: ImageNet's flat val/ with its solution or
// its devkit, Tiny-ImageNet's annotations, metadata.csv of image folders, train.txt and test.txt
// beside images/, one labels.csv for all.

#include <optional>
#include <string>
#include <vector>

#include "core/data/labels/ListedFiles.h"

namespace headlight {

/// A split is a list, a folder of class folders, or not there (neither).
struct ListedSplit {
  std::optional<ListedFiles> list;
  std::string folder;

  bool any() const { return list || !folder.empty(); }
};

struct PlaceLists {
  ListedSplit train, validation;
  /// Of a test split beside a validation split: used only where the splits share no class.
  std::optional<ListedFiles> test;
  std::vector<std::string> notes;
};

/// Nothing where no list with images that are there labels a split: class folders say all, or
/// nothing does. Failure: as splitFoldersIn(), and of lists that name files outside.
std::optional<PlaceLists> listsIn(const FilePlace& place);

/// The list `path` alone, whose images lie beside it, below it, or where it says.
PlaceLists listAt(const std::filesystem::path& path);

/// Why lists that lie there are not used, one sentence each: for messages where nothing labels the
/// images.
std::vector<std::string> refusedLists(const FilePlace& place);

}  // namespace headlight
