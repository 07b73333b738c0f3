// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/DatasetKinds.h"

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
  };
  return all;
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
