// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/ModelInfo.h"

#include "core/base/Translation.h"

#include "core/models/Registry.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/loading/Weights.h"

namespace headlight {
namespace {

/// Text that identify() has read is not read again.
Result<Experiment> experimentInJson(const Input& input) {
  if (input.text.empty()) return readExperiment(input.path, modelCatalog());
  return experimentFromText(input.text, input.path.string(), modelCatalog(),
                            std::filesystem::absolute(input.path).parent_path());
}

}  // namespace

std::string classNamesText(const ModelInfo& info) {
  switch (info.classNamesFrom) {
    case ClassNamesFrom::ImageNet:
      return std::string("ImageNet-1k's (assumed), because the ") +
             (info.randomWeights ? "model" : "file") + " has none";
    case ClassNamesFrom::File:
      return "from the given file";
    case ClassNamesFrom::Prompts:
      return "the prompts";
    case ClassNamesFrom::Model:
    case ClassNamesFrom::Nowhere:
      break;
  }
  return {};
}

Result<Experiment> loadExperiment(const Input& input, int heads) {
  const std::filesystem::path& path = input.path;
  return guarded(path.string(), [&]() -> Result<Experiment> {
    if (isWeightsFolder(path)) return readHubConfig(valueOrThrow(findHubFolder(path))).experiment;
    if (input.isJson()) return experimentInJson(input);
    return describeFile(path, heads).experiment;
  });
}

Result<Experiment> loadExperiment(const std::filesystem::path& path, int heads) {
  return loadExperiment(identifyOrGuess(path), heads);
}

void requireAttention(const ModelInfo& info) {
  if (!info.heads.empty()) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("the model ") + info.experiment.model.backbone +
                     tr(" has no attention to look into; predict, evaluate and train take it, and "
                        "lcnet_vit and esnet_vit are such networks with attention"),
                 "model"});
}

}  // namespace headlight
