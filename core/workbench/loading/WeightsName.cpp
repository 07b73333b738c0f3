// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/WeightsName.h"

#include <algorithm>
#include <array>

#include "core/base/Translation.h"
#include "core/base/files/OpenFolder.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/training/run/RunFolder.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/ModelInfo.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSeparator = " · ";
constexpr const char* kDemoFile = "demo.safetensors";
constexpr const char* kDemoFolder = "demo";
/// Names under which many programs save the weights of any model.
constexpr std::array kCommonStems{"model", "pytorch_model", "weights", "checkpoint"};

std::string addPart(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + kSeparator + second;
}

bool isDemo(const fs::path& file) {
  return file.filename() == kDemoFile && file.parent_path().filename() == kDemoFolder;
}

/// "best" for best.safetensors; empty for a file that a run does not write.
std::string partOfRun(const std::string& file) {
  if (file == kRunBest) return tr("best");
  if (file == kRunLast) return tr("last");
  const std::int64_t epoch = RunFolder::keptEpoch(file);
  return epoch > 0 ? tr("epoch ") + std::to_string(epoch) : std::string();
}

/// Of the entry of the hub's cache that holds the file.
std::string repositoryOf(const fs::path& file) {
  for (const fs::path& part : file)
    if (std::string name = hubRepository(part.string()); !name.empty()) return name;
  return {};
}

bool isCommon(const fs::path& file) {
  const std::string stem = file.stem().string();
  return std::find(kCommonStems.begin(), kCommonStems.end(), stem) != kCommonStems.end();
}

bool areHexDigits(const std::string& text) {
  return text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

fs::path withoutSlash(const fs::path& path) {
  const fs::path whole = path.lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

std::string nameByPath(const fs::path& given, bool mayBeOfRun, std::int64_t step) {
  if (given.empty()) return {};
  const fs::path file = withoutSlash(given);
  const std::string name = file.filename().string();
  const std::string folder = file.parent_path().filename().string();
  if (isDemo(file)) return tr("demo");
  if (std::string taught = keptTaughtName(file); !taught.empty()) return taught;
  if (const std::string part = partOfRun(name); mayBeOfRun && !part.empty() && !folder.empty())
    return makeRunWeightsName(folder, part, step);
  if (const std::string repository = repositoryOf(file); !repository.empty())
    return repository + " (hub)";
  return isCommon(file) && !folder.empty() ? folder + "/" + name : name;
}

}  // namespace

std::string makeWeightsName(const fs::path& weights,
                            const std::map<std::string, std::string>& metadata) {
  return nameByPath(weights, metadata.contains("experiment"), readSavedStep(metadata).value_or(-1));
}

std::string makeWeightsName(const fs::path& weights) {
  return nameByPath(weights, /*mayBeOfRun=*/true, -1);
}

std::string readWeightsName(const fs::path& weights) {
  const auto folder = OpenFolder::open(weights.parent_path());
  if (!folder || partOfRun(weights.filename().string()).empty()) return makeWeightsName(weights);
  const auto metadata = readSafetensorsMetadata(*folder, weights.filename().string());
  return metadata ? makeWeightsName(weights, *metadata) : makeWeightsName(weights);
}

std::string keptTaughtName(const fs::path& weights) {
  constexpr std::size_t kDigits = 16;
  const std::string stem = weights.stem().string();
  if (weights.parent_path().filename() != kTaughtFolder || weights.extension() != ".safetensors" ||
      stem.size() < kDigits + 2)
    return {};
  const std::size_t dash = stem.size() - kDigits - 1;
  return stem[dash] == '-' && areHexDigits(stem.substr(dash + 1)) ? stem.substr(0, dash)
                                                                  : std::string();
}

std::string makeRunWeightsName(const std::string& run, const std::string& which,
                               std::int64_t step) {
  const std::string name = addPart(tr("run ") + run, which);
  return step < 0 ? name : addPart(name, tr("step ") + std::to_string(step));
}

std::string makeModelTitle(const ModelInfo& info) {
  if (info.isPrecomputed) return info.weightsName;
  return makeModelTitle(info, info.randomWeights ? tr("random weights") : info.weightsName);
}

std::string makeModelTitle(const ModelInfo& info, const std::string& weights) {
  const std::string& model = info.experiment.model.name;
  if (weights.empty()) return model;
  const bool saysModel = weights.find(model) != std::string::npos || model == "custom" ||
                         model.find(weights) != std::string::npos;
  return saysModel ? weights : addPart(model, weights);
}

std::optional<TrainingOrigin> readTrainingOrigin(const fs::path& weights) {
  if (partOfRun(weights.filename().string()).empty()) return std::nullopt;
  const fs::path config = weights.parent_path() / kRunConfig;
  const auto run = readExperiment(config, modelCatalog());
  if (!run) return std::nullopt;
  const std::string& start = run->training.weights;
  return TrainingOrigin{start.empty() ? config : fs::path(start), start.empty(), run->seed};
}

}  // namespace headlight
