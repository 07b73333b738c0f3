// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/TrainedData.h"

#include <filesystem>
#include <system_error>

#include "core/checkpoint/SafetensorsFile.h"
#include "core/training/run/ModelFile.h"

namespace headlight {
namespace {

bool isSameData(const DataConfig& a, const DataConfig& b) {
  return a.dataset == b.dataset && isSamePlace(a.path, b.path);
}

/// The weights' own description, if they carry one, when the model has another.
bool weightsTrainedOn(const std::filesystem::path& weights, const DataConfig& data) {
  if (weights.extension() != ".safetensors") return false;
  const auto known = guarded(weights.string(), [&] {
    const auto metadata = SafetensorsFile::open(weights).header().metadata;
    const auto own = valueOrThrow(readModelMetadata(metadata, weights.string()));
    return own && isSameData(own->experiment.data, data);
  });
  return known.ok() && *known;
}

}  // namespace

bool isSamePlace(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a.empty() || b.empty()) return false;
  std::error_code unknown, failed;
  const auto place = std::filesystem::weakly_canonical(a, unknown);
  return place == std::filesystem::weakly_canonical(b, failed) && !unknown && !failed;
}

bool trainedOn(const ModelInfo& info, const DataConfig& data) {
  return isSameData(info.experiment.data, data) || weightsTrainedOn(info.weights, data);
}

}  // namespace headlight
