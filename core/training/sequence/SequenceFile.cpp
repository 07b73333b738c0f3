// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/sequence/SequenceFile.h"

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"
#include "core/config/RunId.h"
#include "core/training/run/ModelFile.h"
#include "core/training/run/TrainingCheckpoint.h"

namespace headlight {
namespace {

constexpr const char* kSequencePositionKey = "sequence_training";

[[noreturn]] void refuseSequenceFile(const std::string& where, const std::string& what) {
  throw Failure({ErrorCode::InvalidFile,
                 what + tr("; the file is damaged or was not written by Headlight"), where});
}

Json sequencePositionJson(const SequenceFile& file) {
  const SequencePosition& at = *file.position;
  Json json = {{"step", at.step},
               {"validated_step", at.validatedStep},
               {"bits_sum", at.bitsSum},
               {"bits_steps", at.bitsSteps},
               {"train_sequences", at.trainSequences}};
  if (at.bestBits) json["best_bits"] = *at.bestBits;
  if (!file.trainStamp.empty()) json["train_files"] = file.trainStamp;
  if (!file.computedWith.is_null()) json["computed_with"] = file.computedWith;
  if (!file.unwritten.empty()) json["unwritten"] = file.unwritten;
  return json;
}

void readSequencePosition(const std::string& text, SequenceFile& file, const std::string& where) {
  const Json json = metadataJson(text, kSequencePositionKey, where);
  const auto damaged = [&] { refuseSequenceFile(where, tr("its training position is not valid")); };
  const auto count = [&](const char* key) {
    if (!json.contains(key) || !json[key].is_number_integer() || json[key] < 0) damaged();
    return json[key].get<std::int64_t>();
  };
  const auto number = [&](const char* key) {
    if (!json.contains(key) || !json[key].is_number()) damaged();
    return json[key].get<double>();
  };
  if (!json.is_object()) damaged();
  SequencePosition at;
  at.step = count("step");
  at.validatedStep = count("validated_step");
  at.bitsSum = number("bits_sum");
  at.bitsSteps = count("bits_steps");
  at.trainSequences = count("train_sequences");
  if (json.contains("best_bits")) at.bestBits = number("best_bits");
  file.position = at;
  if (json.contains("train_files")) {
    if (!json["train_files"].is_string()) damaged();
    file.trainStamp = json["train_files"].get<std::string>();
  }
  if (json.contains("computed_with")) file.computedWith = json["computed_with"];
  if (!json.contains("unwritten")) return;
  if (!json["unwritten"].is_object()) damaged();
  for (const auto& [name, lines] : json["unwritten"].items()) {
    if (!lines.is_string()) damaged();
    file.unwritten[name] = lines.get<std::string>();
  }
}

/// Every name and shape, against what the experiment says, before a model is made.
void checkShapes(const SequenceFile& file, const std::string& where) {
  std::map<std::string, at::Tensor> tensors(file.weights.begin(), file.weights.end());
  for (const auto& [name, shape] :
       sequenceShapes(file.experiment.model, file.experiment.length())) {
    const auto found = tensors.extract(name);
    if (found.empty())
      refuseSequenceFile(where,
                         tr("its config needs a tensor \"") + name + tr("\", which it lacks"));
    const at::Tensor& tensor = found.mapped();
    if (tensor.sizes() != at::IntArrayRef(shape) || tensor.scalar_type() != at::kFloat)
      refuseSequenceFile(where, tr("its tensor \"") + name + "\" is " + shapeText(tensor.sizes()) +
                                    tr("; its config needs ") + shapeText(shape) +
                                    tr(" in 32-bit floats"));
  }
  if (!tensors.empty())
    refuseSequenceFile(where, tr("its tensor ") + inQuotes(tensors.begin()->first) +
                                  tr(" does not belong to its config's model"));
}

}  // namespace

SequenceFile sequenceFileOf(Checkpoint checkpoint, const std::string& where) {
  const auto described = checkpoint.metadata.find(kSequenceKey);
  if (described == checkpoint.metadata.end())
    throw Failure({ErrorCode::UnsupportedFile,
                   checkpoint.metadata.contains("experiment")
                       ? tr("is a checkpoint of an image classifier, not of a sequence model; open "
                            "it with Load "
                            "weights in the main window, or headlight-cli predict or evaluate")
                       : tr("is not a sequence model of Headlight: its metadata contain no "
                            "sequence model config"),
                   where});
  SequenceFile file;
  file.owed = extractPending(checkpoint, where);
  if (const auto run = checkpoint.metadata.find(kRunKey); run != checkpoint.metadata.end())
    file.run = run->second;
  auto experiment = sequenceFromText(described->second, where);
  // For a newer program the file may well be whole: the config's own words say what to do.
  if (!experiment)
    throw Failure(
        {ErrorCode::InvalidFile, tr("its config is wrong: ") + experiment.error().message, where});
  file.experiment = *experiment;
  if (const auto at = checkpoint.metadata.find(kSequencePositionKey);
      at != checkpoint.metadata.end())
    readSequencePosition(at->second, file, where);
  const std::string optimizer = kOptimizerPrefix, average = kAveragePrefix;
  for (const auto& [name, tensor] : checkpoint.tensors)
    if (name.starts_with(optimizer))
      file.optimizer.emplace_back(name.substr(optimizer.size()), tensor);
    else if (name.starts_with(average))
      file.average.emplace_back(name.substr(average.size()), tensor);
    else
      file.weights.emplace_back(name, tensor);
  checkShapes(file, where);
  return file;
}

OwedFile sequenceFileContent(const std::string& name, const SequenceFile& file) {
  OwedFile content{name, file.weights, {}};
  for (const auto& [tensor, value] : file.optimizer)
    content.weights.emplace_back(kOptimizerPrefix + tensor, value);
  for (const auto& [tensor, value] : file.average)
    content.weights.emplace_back(kAveragePrefix + tensor, value);
  const auto text = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  content.metadata = {{"format", "pt"}, {kSequenceKey, text(sequenceToJson(file.experiment))}};
  if (!file.run.empty()) content.metadata[kRunKey] = file.run;
  if (file.position) content.metadata[kSequencePositionKey] = text(sequencePositionJson(file));
  addOwed(file.owed, content.weights, content.metadata);
  return content;
}

Result<void> writeSequenceFile(const OpenFolder& folder, const std::string& name,
                               const SequenceFile& file) {
  const OwedFile content = sequenceFileContent(name, file);
  return writeSafetensors(folder, name, content.weights, content.metadata);
}

Result<SequenceFile> readSequenceFile(const std::filesystem::path& path) {
  return guarded(path.string(),
                 [&] { return sequenceFileOf(valueOrThrow(readCheckpoint(path)), path.string()); });
}

Result<SequenceFile> readSequenceFile(const OpenFolder& folder, const std::string& name) {
  const std::string where = folder.pathOf(name).string();
  return guarded(
      where, [&] { return sequenceFileOf(valueOrThrow(readSafetensors(folder, name)), where); });
}

void startFrom(const SequenceModel& model, const SequenceFile& file, const std::string& where) {
  const auto refuse = [&](const std::string& name, const std::string& what) {
    throw Failure({ErrorCode::InvalidFile,
                   tr("cannot be used as starting weights: its tensor ") + inQuotes(name) + " " +
                       what + tr("; choose other training.weights, or their model"),
                   where});
  };
  std::map<std::string, at::Tensor> given(file.weights.begin(), file.weights.end());
  for (const auto& [name, tensor] : model.trainable()) {
    const auto found = given.extract(name);
    if (found.empty()) refuse(name, tr("is missing, but the model has it"));
    if (found.mapped().sizes() != tensor.sizes())
      refuse(name, "is " + shapeText(found.mapped().sizes()) + tr(", but the model's is ") +
                       shapeText(tensor.sizes()));
  }
  if (!given.empty()) refuse(given.begin()->first, tr("is not in the model"));
  copyExactly(model.trainable(), file.weights, where);
}

std::shared_ptr<SequenceModel> modelOf(const SequenceFile& file, const std::string& where) {
  auto model = makeSequenceModel(file.experiment);
  copyExactly(model->trainable(), file.weights, where);
  model->eval();
  return model;
}

}  // namespace headlight
