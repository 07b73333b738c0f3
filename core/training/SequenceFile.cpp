#include "core/training/SequenceFile.h"

#include "core/checkpoint/Refusal.h"
#include "core/training/ModelFile.h"
#include "core/training/TrainingCheckpoint.h"

namespace headlight {
namespace {

constexpr const char* kSequenceKey = "sequence_experiment";
constexpr const char* kSequencePositionKey = "sequence_training";

[[noreturn]] void refuseSequenceFile(const std::string& where, const std::string& what) {
  throw Failure({ErrorCode::InvalidFile, what + "; the file is damaged or not Headlight's", where});
}

Json sequencePositionJson(const SequencePosition& at) {
  Json json = {{"step", at.step},
               {"validated_step", at.validatedStep},
               {"bits_sum", at.bitsSum},
               {"bits_steps", at.bitsSteps},
               {"train_sequences", at.trainSequences}};
  if (at.bestBits) json["best_bits"] = *at.bestBits;
  return json;
}

SequencePosition sequencePositionOf(const std::string& text, const std::string& where) {
  const Json json = metadataJson(text);
  const auto damaged = [&] { refuseSequenceFile(where, "its training position is not valid"); };
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
  return at;
}

/// Every name and shape, against what the experiment says, before a model is made.
void checkShapes(const SequenceFile& file, const std::string& where) {
  std::map<std::string, at::Tensor> tensors(file.weights.begin(), file.weights.end());
  for (const auto& [name, shape] :
       sequenceShapes(file.experiment.model, file.experiment.length())) {
    const auto found = tensors.extract(name);
    if (found.empty())
      refuseSequenceFile(where, "its config asks for a tensor \"" + name + "\", which it lacks");
    const at::Tensor& tensor = found.mapped();
    if (tensor.sizes() != at::IntArrayRef(shape) || tensor.scalar_type() != at::kFloat)
      refuseSequenceFile(where, "its tensor \"" + name + "\" is " + shapeText(tensor.sizes()) +
                                    "; its config asks for " + shapeText(shape) +
                                    " in 32-bit floats");
  }
  if (!tensors.empty())
    refuseSequenceFile(
        where, "its tensor " + inQuotes(tensors.begin()->first) + " is none of its config's model");
}

SequenceFile sequenceFileOf(const Checkpoint& checkpoint, const std::string& where) {
  const auto described = checkpoint.metadata.find(kSequenceKey);
  if (described == checkpoint.metadata.end())
    throw Failure(
        {ErrorCode::UnsupportedFile,
         checkpoint.metadata.contains("experiment")
             ? "is a checkpoint of an image classifier, not of a sequence model; open it with Load "
               "weights in the main window, or headlight-cli predict or evaluate"
             : "is no sequence model of Headlight: it carries no config of one in its metadata",
         where});
  SequenceFile file;
  auto experiment = sequenceFromText(described->second, where);
  // Of a newer program the file may well be whole: the config's own words say what to do.
  if (!experiment)
    throw Failure(
        {ErrorCode::InvalidFile, "its config is wrong: " + experiment.error().message, where});
  file.experiment = *experiment;
  if (const auto at = checkpoint.metadata.find(kSequencePositionKey);
      at != checkpoint.metadata.end())
    file.position = sequencePositionOf(at->second, where);
  const std::string optimizer = kOptimizerPrefix;
  for (const auto& [name, tensor] : checkpoint.tensors)
    if (name.starts_with(optimizer))
      file.optimizer.emplace_back(name.substr(optimizer.size()), tensor);
    else
      file.weights.emplace_back(name, tensor);
  checkShapes(file, where);
  return file;
}

}  // namespace

Result<void> writeSequenceFile(const std::filesystem::path& path, const SequenceFile& file) {
  NamedTensors tensors = file.weights;
  for (const auto& [name, tensor] : file.optimizer)
    tensors.emplace_back(kOptimizerPrefix + name, tensor);
  std::map<std::string, std::string> metadata = {
      {"format", "pt"},
      {kSequenceKey,
       sequenceToJson(file.experiment).dump(-1, ' ', false, Json::error_handler_t::replace)}};
  if (file.position) metadata[kSequencePositionKey] = sequencePositionJson(*file.position).dump();
  return writeSafetensors(path, tensors, metadata);
}

Result<SequenceFile> readSequenceFile(const std::filesystem::path& path) {
  return guarded(path.string(),
                 [&] { return sequenceFileOf(valueOrThrow(readCheckpoint(path)), path.string()); });
}

std::shared_ptr<SequenceModel> modelOf(const SequenceFile& file, const std::string& where) {
  auto model = makeSequenceModel(file.experiment);
  copyExactly(model->trainable(), file.weights, where);
  model->eval();
  return model;
}

void refuseSequenceModel(const std::map<std::string, std::string>& metadata,
                         const std::string& where) {
  if (!metadata.contains(kSequenceKey)) return;
  throw Failure({ErrorCode::UnsupportedFile,
                 "is a sequence model, not an image classifier; open it with Model → Sequence "
                 "models in the window, or headlight-cli sequence",
                 where});
}

}  // namespace headlight
