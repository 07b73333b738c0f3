#include "core/workbench/opening/TrainedData.h"

#include <filesystem>
#include <system_error>

#include "core/checkpoint/SafetensorsFile.h"
#include "core/training/run/ModelFile.h"

namespace headlight {
namespace {

bool isSameData(const DataConfig& a, const DataConfig& b) {
  if (a.dataset != b.dataset) return false;
  if (a.path == b.path) return true;
  if (a.path.empty() || b.path.empty()) return false;
  std::error_code unknown, failed;
  const auto place = std::filesystem::weakly_canonical(a.path, unknown);
  return place == std::filesystem::weakly_canonical(b.path, failed) && !unknown && !failed;
}

/// Of weights under a model of another description: their own, where they carry one.
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

bool trainedOn(const ModelInfo& info, const DataConfig& data) {
  return isSameData(info.experiment.data, data) || weightsTrainedOn(info.weights, data);
}

}  // namespace headlight
