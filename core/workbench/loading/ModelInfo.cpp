// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/ModelInfo.h"

#include "core/models/Registry.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/loading/Weights.h"

namespace headlight {

std::string classNamesText(const ModelInfo& info) {
  switch (info.classNamesFrom) {
    case ClassNamesFrom::ImageNet:
      return std::string("ImageNet-1k's, assumed: the ") + (info.randomWeights ? "model" : "file") +
             " has none";
    case ClassNamesFrom::File:
      return "of the file that was given";
    case ClassNamesFrom::Model:
    case ClassNamesFrom::Nowhere:
      break;
  }
  return {};
}

Result<Experiment> experimentOf(const std::filesystem::path& path) {
  return guarded(path.string(), [&]() -> Result<Experiment> {
    if (isHubConfig(path)) return experimentOf(std::filesystem::absolute(path).parent_path());
    if (isWeightsFolder(path)) return readHubConfig(valueOrThrow(findHubFolder(path))).experiment;
    if (looksLikeConfig(path)) return readExperiment(path, modelCatalogue());
    return describeFile(path).experiment;
  });
}

}  // namespace headlight
