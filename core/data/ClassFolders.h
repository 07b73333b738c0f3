#pragma once
// Listing a folder of class folders of pictures. What a large one holds is remembered
// (RememberedScan.h) and listed again when one of its folders has changed.

#include <filesystem>
#include <string>
#include <vector>

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

/// Every class folder's pictures, deeper ones too; a folder reached twice through links is read
/// once. Links to a picture that is gone are kept: they are reported when somebody asks for the
/// sample. Failures as above.
std::vector<ClassOfPictures> picturesOfClasses(const std::filesystem::path& folder);

}  // namespace headlight
