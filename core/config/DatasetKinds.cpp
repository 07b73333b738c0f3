// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/DatasetKinds.h"

#include <algorithm>

#include "core/base/Text.h"

namespace headlight {

const std::vector<DatasetKind>& datasetKinds() {
  static const std::vector<DatasetKind> all{
      {kProceduralData, "synthetic images, generated without files", true},
      {kImageFolder, "images in class folders, in an archive of them or in a list of labels", true},
      {"webdataset", "WebDataset tar shards: a folder or a pattern"},
      {"cifar10", "CIFAR-10 in its binary or Python version", true},
      {"cifar100", "CIFAR-100 in its binary or Python version"},
      {"idx", "MNIST's format, plain or gzipped"},
      {kTextureScenes, "synthetic images with boxes, generated without files", false, true},
      {kCocoBoxes, "images with boxes in COCO's JSON: a folder or the annotations", false, true},
      {kVocBoxes, "images with boxes in Pascal VOC's XML files", false, true},
      {kTextureSegments, "synthetic images with a class for every pixel, generated without files",
       false, false, true},
      {kAde20k, "ADE20K as SceneParse150: images and annotations", false, false, true},
      {kCityscapes, "Cityscapes: leftImg8bit and gtFine", false, false, true},
      {kSegmentFolder, "images with label images and a table of classes", false, false, true},
  };
  return all;
}

bool isDrawnData(const std::string& name) {
  return name == kProceduralData || name == kTextureScenes || name == kTextureSegments;
}

bool hasBoxes(const std::string& name) {
  const auto& all = datasetKinds();
  return std::any_of(all.begin(), all.end(),
                     [&](const DatasetKind& kind) { return kind.boxes && kind.name == name; });
}

bool hasSegments(const std::string& name) {
  const auto& all = datasetKinds();
  return std::any_of(all.begin(), all.end(),
                     [&](const DatasetKind& kind) { return kind.segments && kind.name == name; });
}

std::vector<std::string> datasetKindNames(bool ofSequences) {
  std::vector<std::string> names;
  for (const DatasetKind& kind : datasetKinds())
    if (kind.sequences || !ofSequences) names.push_back(kind.name);
  return names;
}

std::string datasetKindsText(bool ofSequences) {
  std::vector<std::string> texts;
  for (const DatasetKind& kind : datasetKinds())
    if (kind.sequences || !ofSequences) texts.push_back(kind.name + " (" + kind.help + ")");
  return joined(texts);
}

}  // namespace headlight
