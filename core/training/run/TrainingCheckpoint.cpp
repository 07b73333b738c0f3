// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/TrainingCheckpoint.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <cstring>
#include <map>
#include <utility>

#include "core/base/Translation.h"
#include "core/config/RunId.h"
#include "core/training/evolution/EvolutionTypes.h"
#include "core/training/run/ModelFile.h"

namespace headlight {
namespace {

constexpr const char* kPositionKey = "training";

Json positionJson(const TrainingCheckpoint& checkpoint) {
  const TrainingPosition& at = checkpoint.position;
  Json json = {{"step", at.step},
               {"epoch", at.epoch},
               {"batch", at.batch},
               {"best_top1", at.bestScore},
               {"loss_sum", at.lossSum},
               {"loss_steps", at.lossSteps},
               {"edits_applied", checkpoint.editsApplied},
               {"train_images", checkpoint.trainImages},
               {"validation_images", checkpoint.validationImages}};
  if (!checkpoint.teacherFingerprint.empty()) json["teacher"] = checkpoint.teacherFingerprint;
  if (!checkpoint.trainStamp.empty()) json["train_files"] = checkpoint.trainStamp;
  if (!checkpoint.validationStamp.empty()) json["validation_files"] = checkpoint.validationStamp;
  if (!checkpoint.computedWith.is_null()) json["computed_with"] = checkpoint.computedWith;
  if (!checkpoint.unwritten.empty()) json["unwritten"] = checkpoint.unwritten;
  if (const auto& scale = checkpoint.lossScale)
    json["loss_scale"] = {{"factor", scale->scale},
                          {"good_steps", scale->goodSteps},
                          {"skipped_steps", scale->skipped}};
  return json;
}

[[noreturn]] void damaged(const std::string& where, const std::string& what) {
  throw Failure({ErrorCode::InvalidFile,
                 what + tr("; it is damaged or was not written by a training run. Use another "
                           "checkpoint of the run as training.weights of a new run"),
                 where});
}

std::int64_t countAt(const Json& json, const char* key, const std::string& where) {
  if (!json.contains(key) || !json[key].is_number_integer() || json[key] < 0)
    damaged(where, std::string(tr("its training position has no valid \"")) + key + "\"");
  return json[key].get<std::int64_t>();
}

double numberAt(const Json& json, const char* key, const std::string& where) {
  if (!json.contains(key) || !json[key].is_number())
    damaged(where, std::string(tr("its training position has no valid \"")) + key + "\"");
  return json[key].get<double>();
}

/// Empty where it is missing.
std::string textAt(const Json& json, const char* key, const std::string& where) {
  if (!json.contains(key)) return "";
  if (!json[key].is_string())
    damaged(where, std::string(tr("its training position has no valid \"")) + key + "\"");
  return json[key].get<std::string>();
}

LossScaleState lossScaleOf(const Json& json, const std::string& where) {
  LossScaleState state;
  state.scale = numberAt(json, "factor", where);
  state.goodSteps = countAt(json, "good_steps", where);
  state.skipped = countAt(json, "skipped_steps", where);
  if (!(state.scale >= LossScale::kLeast && state.scale <= LossScale::kGreatest))
    damaged(where, tr("its loss scale is invalid"));
  return state;
}

void readPosition(const std::string& text, TrainingCheckpoint& checkpoint,
                  const std::string& where) {
  const Json json = metadataJson(text, kPositionKey, where);
  if (!json.is_object()) damaged(where, tr("its training position cannot be parsed"));
  TrainingPosition& at = checkpoint.position;
  at.step = countAt(json, "step", where);
  at.epoch = countAt(json, "epoch", where);
  at.batch = countAt(json, "batch", where);
  at.bestScore = numberAt(json, "best_top1", where);
  at.lossSum = numberAt(json, "loss_sum", where);
  at.lossSteps = countAt(json, "loss_steps", where);
  checkpoint.trainImages = countAt(json, "train_images", where);
  checkpoint.validationImages = countAt(json, "validation_images", where);
  checkpoint.editsApplied = static_cast<std::size_t>(countAt(json, "edits_applied", where));
  if (checkpoint.editsApplied > checkpoint.experiment.edits.size())
    damaged(where, tr("it declares more applied edits than it lists"));
  checkpoint.teacherFingerprint = textAt(json, "teacher", where);
  checkpoint.trainStamp = textAt(json, "train_files", where);
  checkpoint.validationStamp = textAt(json, "validation_files", where);
  if (json.contains("loss_scale")) checkpoint.lossScale = lossScaleOf(json["loss_scale"], where);
  if (json.contains("computed_with")) checkpoint.computedWith = json["computed_with"];
  if (!json.contains("unwritten")) return;
  if (!json["unwritten"].is_object())
    damaged(where, tr("its training position has no valid \"unwritten\""));
  for (const auto& [name, lines] : json["unwritten"].items())
    checkpoint.unwritten[name] = textAt(json["unwritten"], name.c_str(), where);
}

void addPrefixed(NamedTensors& to, const std::string& prefix, const NamedTensors& from) {
  for (const auto& [name, tensor] : from)
    to.emplace_back(prefix + name, tensor);
}

/// Maps that wait to be written, as tensors of bytes.
std::string mapsPrefix() {
  return std::string(kOwedPrefix) + kEvolutionFile + "/";
}

void addMaps(const std::map<std::string, std::string>& maps, NamedTensors& tensors) {
  for (const auto& [name, bytes] : maps) {
    const at::Tensor tensor = at::empty({static_cast<std::int64_t>(bytes.size())}, at::kByte);
    std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
    tensors.emplace_back(mapsPrefix() + name, tensor);
  }
}

std::map<std::string, std::string> takeMaps(NamedTensors& tensors, const std::string& where) {
  std::map<std::string, std::string> maps;
  std::erase_if(tensors, [&](const auto& item) {
    if (!item.first.starts_with(mapsPrefix())) return false;
    if (item.second.scalar_type() != at::kByte)
      damaged(where, tr("its pending maps are not bytes"));
    const at::Tensor bytes = item.second.contiguous();
    maps[item.first.substr(mapsPrefix().size())] = std::string(
        static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(bytes.numel()));
    return true;
  });
  return maps;
}

void sortOut(const NamedTensors& tensors, TrainingCheckpoint& checkpoint) {
  const std::string optimizer = kOptimizerPrefix, average = kAveragePrefix;
  for (const auto& [name, tensor] : tensors) {
    if (name.starts_with(optimizer))
      checkpoint.optimizer.emplace_back(name.substr(optimizer.size()), tensor);
    else if (name.starts_with(average))
      checkpoint.average.emplace_back(name.substr(average.size()), tensor);
    else
      checkpoint.weights.emplace_back(name, tensor);
  }
}

}  // namespace

Checkpoint packed(const TrainingCheckpoint& checkpoint) {
  Checkpoint file;
  file.tensors = checkpoint.weights;
  addPrefixed(file.tensors, kOptimizerPrefix, checkpoint.optimizer);
  addPrefixed(file.tensors, kAveragePrefix, checkpoint.average);
  file.metadata = modelMetadata(checkpoint.experiment, checkpoint.masks, checkpoint.classNames,
                                checkpoint.progress, checkpoint.learned);
  file.metadata[kPositionKey] =
      positionJson(checkpoint).dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!checkpoint.run.empty()) file.metadata[kRunKey] = checkpoint.run;
  addOwed(checkpoint.owed, file.tensors, file.metadata);
  addMaps(checkpoint.maps, file.tensors);
  return file;
}

TrainingCheckpoint unpacked(Checkpoint file, const std::string& where) {
  refuseSequenceModel(file.metadata, where);
  const auto position = file.metadata.find(kPositionKey);
  if (position == file.metadata.end()) damaged(where, tr("it contains no training position"));
  TrainingCheckpoint checkpoint;
  checkpoint.experiment = valueOrThrow(runExperiment(file.metadata, where));
  if (auto metadata = valueOrThrow(readModelMetadata(file.metadata, where)))
    checkpoint.classNames = std::move(metadata->classNames);
  checkpoint.learned =
      readLearnedAlphas(file.metadata, where).value_or(std::vector<LearnedAlpha>());
  readPosition(position->second, checkpoint, where);
  if (const auto run = file.metadata.find(kRunKey); run != file.metadata.end())
    checkpoint.run = run->second;
  checkpoint.progress = readProgress(file.metadata, where);
  checkpoint.owed = extractPending(file, where);
  checkpoint.maps = takeMaps(file.tensors, where);
  sortOut(file.tensors, checkpoint);
  requireHeld(checkpoint.experiment.model, checkpoint.weights, where);
  return checkpoint;
}

Result<void> writeTrainingCheckpoint(const OpenFolder& folder, const std::string& name,
                                     const TrainingCheckpoint& checkpoint) {
  const Checkpoint file = packed(checkpoint);
  return writeSafetensors(folder, name, file.tensors, file.metadata);
}

Result<TrainingCheckpoint> readTrainingCheckpoint(const OpenFolder& folder,
                                                  const std::string& name) {
  const std::string where = folder.pathOf(name).string();
  return guarded(where,
                 [&] { return unpacked(valueOrThrow(readSafetensors(folder, name)), where); });
}

Result<std::int64_t> readCheckpointStep(const OpenFolder& folder, const std::string& name) {
  const std::string where = folder.pathOf(name).string();
  return guarded(where, [&] {
    const auto metadata = valueOrThrow(readSafetensorsMetadata(folder, name));
    const auto position = metadata.find(kPositionKey);
    if (position == metadata.end()) damaged(where, tr("it contains no training position"));
    return countAt(metadataJson(position->second, kPositionKey, where), "step", where);
  });
}

std::optional<std::int64_t> readSavedStep(const std::map<std::string, std::string>& metadata) {
  const auto kept = metadata.find(kStepKey), position = metadata.find(kPositionKey);
  const auto step = guarded("", [&]() -> std::int64_t {
    if (kept != metadata.end())
      return countAt(Json{{"step", metadataJson(kept->second, kStepKey, "")}}, "step", "");
    if (position == metadata.end()) damaged("", tr("it contains no training position"));
    return countAt(metadataJson(position->second, kPositionKey, ""), "step", "");
  });
  return step ? std::optional(*step) : std::nullopt;
}

void copyExactly(const NamedTensors& model, const NamedTensors& values, const std::string& where) {
  const std::map<std::string, at::Tensor> byName(values.begin(), values.end());
  for (const auto& [name, tensor] : model) {
    const auto found = byName.find(name);
    if (found == byName.end())
      damaged(where, tr("the tensor \"") + name + tr("\" is missing from it"));
    if (found->second.sizes() != tensor.sizes() ||
        found->second.scalar_type() != tensor.scalar_type())
      damaged(where,
              tr("its tensor \"") + name + tr("\" has another shape or type than the model's"));
  }
  if (byName.size() != model.size())
    damaged(where, tr("it contains tensors that the model does not have"));
  const at::NoGradGuard noGrad;
  for (const auto& [name, tensor] : model) {
    at::Tensor target = tensor;
    target.copy_(byName.at(name));
  }
}

}  // namespace headlight
