// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The kinds of datasets, as configs name them. core/data has what opens each (DatasetFactory.cpp).

#include <string>
#include <vector>

namespace headlight {

inline constexpr const char* kProceduralData = "texture-shape";  ///< drawn, from no file
inline constexpr const char* kTextureScenes = "texture-scenes";  ///< likewise, with boxes
inline constexpr const char* kImageFolder = "image-folder";
inline constexpr const char* kCocoBoxes = "coco";
inline constexpr const char* kVocBoxes = "voc";
inline constexpr const char* kTextureSegments = "texture-segments";  ///< drawn, with segments
inline constexpr const char* kAde20k = "ade20k";
inline constexpr const char* kCityscapes = "cityscapes";
inline constexpr const char* kSegmentFolder = "segment-folder";

struct DatasetKind {
  std::string name;
  std::string help;        ///< where it comes from, in a few words
  bool sequences = false;  ///< whether sequence models learn from its images
  bool boxes = false;      ///< whether its images have boxes with classes in place of a class
  bool segments = false;   ///< whether they have a class for every pixel in place of one
};

/// Every kind, in the order in which they are shown.
const std::vector<DatasetKind>& datasetKinds();
/// Whether a kind is drawn by the program: it has no files and no path.
bool isDrawnData(const std::string& name);
/// Whether the images of a kind have boxes in place of a class; false for no kind.
bool hasBoxes(const std::string& name);
/// Whether they have a class for every pixel; false for no kind.
bool hasSegments(const std::string& name);
std::vector<std::string> datasetKindNames(bool ofSequences = false);
/// "texture-shape (synthetic images that are drawn, from no file), …": for help.
std::string datasetKindsText(bool ofSequences = false);

}  // namespace headlight
