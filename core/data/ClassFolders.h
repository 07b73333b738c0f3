// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Listing a folder of class folders of images. What a large one holds is remembered
// (RememberedScan.h) and listed again when one of its folders has changed.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/data/files/PassedOver.h"

namespace headlight {

bool isFolder(const std::filesystem::path& path);

/// In natural order, without those whose name begins with a dot; Failure (NotFound, Io) where the
/// folder cannot be listed.
std::vector<std::string> classFolderNames(const std::filesystem::path& folder);

struct ClassOfPictures {
  std::string name;
  std::vector<std::string>
      pictures;  ///< below the class folder; in natural order, folder by folder
};

/// What lies there and is not taken.
struct Leftovers {
  PassedOver files;               ///< in class folders
  std::int64_t imagesBeside = 0;  ///< beside the class folders, so of no class
};

/// Every class folder's images, deeper ones too; a folder reached twice through links is read
/// once. Links to an image that is gone are kept: they are reported when somebody asks for the
/// sample. Failures as above. `leftovers`, where given, is filled in.
std::vector<ClassOfPictures> picturesOfClasses(const std::filesystem::path& folder,
                                               Leftovers* leftovers = nullptr);

}  // namespace headlight
