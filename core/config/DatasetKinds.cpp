// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/DatasetKinds.h"

#include "core/base/Text.h"

namespace headlight {

const std::vector<DatasetKind>& datasetKinds() {
  static const std::vector<DatasetKind> all{
      {kProceduralData, "synthetic pictures that are drawn, from no file", true},
      {kImageFolder, "a folder of pictures for each class", true},
      {"webdataset", "WebDataset's tar shards: their folder or a pattern"},
      {"cifar10", "the binary files of CIFAR-10", true},
      {"cifar100", "the binary files of CIFAR-100"},
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
