// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/ModelFile.h"

#include <cmath>

#include "core/base/Translation.h"
#include "core/config/ConfigText.h"
#include "core/config/MasksJson.h"
#include "core/models/Registry.h"
#include "core/training/run/PendingFiles.h"
#include "core/training/tuning/Adapters.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxClasses = 1'000'000;
constexpr const char* kLearnedAlphaKey = "learned_alpha";

bool isTrainingState(const std::string& name) {
  return name.starts_with(kOptimizerPrefix) || name.starts_with(kAveragePrefix) ||
         name.starts_with(kOwedPrefix);
}

Json preprocessingJson(const ModelConfig& model) {
  return {{"input_size", {3, model.imageHeightPixels(), model.imageWidthPixels()}},
          {"crop_pct", model.cropFraction},
          {"crop_mode", model.cropMode},
          {"interpolation", model.interpolation},
          {"mean", model.mean},
          {"std", model.deviation}};
}

std::string compact(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Error damagedMetadata(const std::string& key, const std::string& where) {
  return {ErrorCode::InvalidFile,
          tr("the metadata \"") + key +
              tr("\" cannot be parsed; the file is damaged or was not written by Headlight"),
          where};
}

std::vector<std::string> classNamesOf(const std::map<std::string, std::string>& metadata,
                                      const std::string& where) {
  const auto found = metadata.find("class_names");
  if (found == metadata.end()) return {};
  const Json json = metadataJson(found->second, "class_names", where);
  if (!json.is_array() || json.size() > kMaxClasses)
    throw Failure(damagedMetadata("class_names", where));
  std::vector<std::string> names;
  for (const Json& name : json) {
    if (!name.is_string()) throw Failure(damagedMetadata("class_names", where));
    names.push_back(name.get<std::string>());
  }
  return names;
}

Json learnedAlphasJson(const std::vector<LearnedAlpha>& learned) {
  Json list = Json::array();
  for (const LearnedAlpha& entry : learned) {
    list.push_back({{"layer", entry.layer}, {"head", entry.head}, {"mask", toText(entry.from)}});
    if (entry.logit) list.back()["logit"] = *entry.logit;
  }
  return list;
}

bool isIndex(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_number_integer() && json[key] >= 0 &&
         json[key] <= 100000;
}

/// Nothing where it cannot be understood.
std::optional<LearnedAlpha> learnedAlphaOf(const Json& json) {
  if (!json.is_object() || !isIndex(json, "layer") || !isIndex(json, "head") ||
      !json.contains("mask") || !json["mask"].is_string())
    return std::nullopt;
  const auto from = headMaskFromText(json["mask"].get<std::string>());
  if (!from || from->kind != MaskKind::Soft) return std::nullopt;
  LearnedAlpha entry{json["layer"].get<int>(), json["head"].get<int>(), *from, std::nullopt};
  if (!json.contains("logit")) return entry;
  if (!json["logit"].is_number()) return std::nullopt;
  entry.logit = json["logit"].get<double>();
  if (!std::isfinite(*entry.logit)) return std::nullopt;
  return entry;
}

}  // namespace

Json metadataJson(const std::string& text, const std::string& key, const std::string& where) {
  const auto json = parseConfigJson(text, "the metadata \"" + key + "\"");
  if (json) return *json;
  throw Failure({ErrorCode::InvalidFile,
                 json.error().where + " " + json.error().message +
                     tr("; the file is damaged or was not written by Headlight"),
                 where});
}

NamedTensors weightsOf(const NamedTensors& tensors) {
  NamedTensors weights;
  for (const auto& item : tensors)
    if (!isTrainingState(item.first)) weights.push_back(item);
  return mergedLowRank(std::move(weights));
}

Checkpoint weightsOf(Checkpoint checkpoint) {
  checkpoint.tensors = weightsOf(checkpoint.tensors);
  return checkpoint;
}

void requireHeld(const ModelConfig& model, const NamedTensors& weights, const std::string& where,
                 bool resized) {
  constexpr std::int64_t kAlwaysFine = 1'000'000;
  const ModelCost cost = modelCost(model);
  std::int64_t needed = cost.parameters, held = 0;
  for (const LayerCost& layer : cost.layers)
    if (resized && layer.name == "pos_embed") needed -= layer.parameters;
  for (const auto& [name, tensor] : weights)
    held += tensor.numel();
  if (needed <= 2 * held + kAlwaysFine) return;
  throw Failure({ErrorCode::InvalidFile,
                 tr("holds only ") + std::to_string(held) +
                     tr(" numbers, too few for a model of ") + std::to_string(cost.parameters) +
                     tr(" parameters; it is damaged, or belongs to another model"),
                 where});
}

std::map<std::string, std::string> modelMetadata(const Experiment& run, const MaskScheme& inForce,
                                                 const std::vector<std::string>& classNames,
                                                 double progress,
                                                 const std::vector<LearnedAlpha>& learned) {
  std::map<std::string, std::string> metadata = {
      {"format", "pt"},
      {"experiment", compact(experimentToJson(run))},
      {"masks", compact(maskConfigToJson(describeMasks(inForce)))},
      {"class_names", compact(Json(classNames))},
      {"preprocessing", compact(preprocessingJson(run.model))}};
  if (progress < 1) metadata["progress"] = compact(Json(progress));
  if (!learned.empty()) metadata[kLearnedAlphaKey] = compact(learnedAlphasJson(learned));
  return metadata;
}

double readProgress(const std::map<std::string, std::string>& metadata, const std::string& where) {
  const auto found = metadata.find("progress");
  if (found == metadata.end()) return 1;
  const Json json = metadataJson(found->second, "progress", where);
  if (!json.is_number() || !(json >= 0.0 && json <= 1.0))
    throw Failure(damagedMetadata("progress", where));
  return json.get<double>();
}

std::optional<std::vector<LearnedAlpha>> readLearnedAlphas(
    const std::map<std::string, std::string>& metadata, const std::string& where) {
  const auto found = metadata.find(kLearnedAlphaKey);
  if (found == metadata.end()) return std::nullopt;
  const Json json = metadataJson(found->second, kLearnedAlphaKey, where);
  if (!json.is_array()) throw Failure(damagedMetadata(kLearnedAlphaKey, where));
  std::vector<LearnedAlpha> learned;
  for (const Json& item : json) {
    const auto entry = learnedAlphaOf(item);
    if (!entry) throw Failure(damagedMetadata(kLearnedAlphaKey, where));
    learned.push_back(*entry);
  }
  return learned;
}

Result<Experiment> runExperiment(const std::map<std::string, std::string>& metadata,
                                 const std::string& where) {
  const auto found = metadata.find("experiment");
  if (found == metadata.end())
    return Error{ErrorCode::InvalidFile, tr("contains no Experiment in its metadata"), where};
  return experimentFromText(found->second, where, modelCatalog());
}

void refuseSequenceModel(const std::map<std::string, std::string>& metadata,
                         const std::string& where) {
  if (!metadata.contains(kSequenceKey)) return;
  throw Failure({ErrorCode::UnsupportedFile,
                 tr("is a sequence model, not an image classifier; open it with Model → Sequence "
                    "models in the window, or headlight-cli sequence"),
                 where});
}

Result<std::optional<ModelMetadata>> readModelMetadata(
    const std::map<std::string, std::string>& metadata, const std::string& where) {
  return guarded(where, [&]() -> Result<std::optional<ModelMetadata>> {
    refuseSequenceModel(metadata, where);
    if (!metadata.contains("experiment")) return std::optional<ModelMetadata>();
    ModelMetadata result;
    result.experiment = valueOrThrow(runExperiment(metadata, where));
    result.experiment.edits.clear();
    result.classNames = classNamesOf(metadata, where);
    if (const auto masks = metadata.find("masks"); masks != metadata.end()) {
      const Json json = metadataJson(masks->second, "masks", where);
      if (!json.is_object()) return damagedMetadata("masks", where);
      result.experiment.masks = valueOrThrow(maskConfigFromJson(json, where));
      valueOrThrow(resolveMasks(result.experiment.masks, makeMaskShape(result.experiment.model)));
    }
    return std::optional<ModelMetadata>(std::move(result));
  });
}

}  // namespace headlight
