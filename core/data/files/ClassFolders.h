// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Listing a folder of class folders of images. What a large one holds is remembered
// (RememberedScan.h) and listed again when one of its folders has changed.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/data/files/FilePlace.h"
#include "core/data/files/PassedOver.h"

namespace headlight {

bool isFolder(const std::filesystem::path& path);

struct ClassOfImages {
  std::string name;
  std::vector<std::string> images;  ///< below the class folder; in natural order, folder by folder
};

/// What lies there and is not taken.
struct Leftovers {
  PassedOver files;               ///< in class folders
  std::int64_t imagesBeside = 0;  ///< beside the class folders, so of no class
};

/// Every class folder's images, deeper ones too; a folder reached twice through links is read
/// once. Links to an image that is gone are kept: they are reported when somebody asks for the
/// sample. Failures as above. `leftovers`, where given, is filled in.
std::vector<ClassOfImages> imagesOfClasses(const std::filesystem::path& folder,
                                           Leftovers* leftovers = nullptr);

/// The same of a folder in a place; that of an archive is not remembered.
std::vector<ClassOfImages> imagesOfClasses(const FilePlace& place, const std::string& folder,
                                           Leftovers* leftovers = nullptr);

}  // namespace headlight
