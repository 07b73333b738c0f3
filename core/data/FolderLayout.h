// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the class folders of a split lie, and whether they can be trained on.

#include <string>
#include <vector>

#include "core/data/Dataset.h"
#include "core/data/files/FilePlace.h"

namespace headlight {

struct FolderLayout {
  std::string folder;                   ///< of class folders, for the split asked for
  std::string classesFolder;            ///< whose folders are the classes: the training split's
  std::vector<std::string> classNames;  ///< in natural order
  bool shareOut = false;                ///< there is no validation split
  std::vector<std::string> notes;       ///< Dataset::notes

  /// A class may have no image there: it is trained on and not validated.
  bool mayLackClasses() const { return folder != classesFolder; }
};

/// Lists folders, and no images. Failures: InvalidFile (no classes, images of no class, classes of
/// one split alone, splits that cannot be told), NotFound, Io.
FolderLayout folderLayout(const FilePlace& place, Split split);

/// Whether a folder of the place can be a split.
bool holdsSplitFolders(const FilePlace& place);

/// The first file in `folder`, or in a split folder of it, that looks like a table of labels, as a
/// name below `folder`; empty: there is none.
std::string labelTableIn(const FilePlace& place, const std::string& folder = "");

}  // namespace headlight
