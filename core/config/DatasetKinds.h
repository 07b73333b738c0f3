// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The kinds of datasets, as configs name them. core/data has what opens each (DatasetFactory.cpp).

#include <string>
#include <vector>

namespace headlight {

inline constexpr const char* kProceduralData = "texture-shape";  ///< drawn, from no file
inline constexpr const char* kImageFolder = "image-folder";

struct DatasetKind {
  std::string name;
  std::string help;        ///< where it comes from, in a few words
  bool sequences = false;  ///< whether sequence models learn from its images
};

/// Every kind, in the order in which they are shown.
const std::vector<DatasetKind>& datasetKinds();
std::vector<std::string> datasetKindNames(bool ofSequences = false);
/// "texture-shape (synthetic images that are drawn, from no file), …": for help.
std::string datasetKindsText(bool ofSequences = false);

}  // namespace headlight
