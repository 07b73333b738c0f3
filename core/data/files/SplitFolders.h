// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which folders of a place are its splits, by their names, and which are classes.

#include <string>
#include <vector>

#include "core/data/files/FilePlace.h"

namespace headlight {

/// Names of folders below the place; empty where there is no such split. Both empty: the folders
/// there are classes.
struct SplitFolders {
  std::string train;
  std::string validation;
  std::vector<std::string> notes;  ///< what is read as what, and what is not used

  bool any() const { return !train.empty() || !validation.empty(); }
};

/// Splits are called train, training; val, valid, validation; test, testing, in any case, perhaps
/// with "set", "data", "dataset" or "images" behind it (training_set). Without a
/// validation split the test split takes its place. A folder that is called as a split, beside
/// others that are not, is a class as they are; except that `train` is always the training split,
/// and whatever training split lies beside a split for validation. Failures: InvalidFile where two
/// folders claim one split, and where a folder may be either; NotFound, Io.
SplitFolders splitFoldersIn(const FilePlace& place);

/// Whether a folder of this name can be a split.
bool isSplitName(const std::string& name);

enum class SplitWord { None, Train, Validation, Test };
/// Which split a word names, in any case.
SplitWord splitWord(const std::string& word);

}  // namespace headlight
