#include "core/workbench/LoadedModel.h"

#include <ATen/ATen.h>

#include "core/base/Files.h"
#include "core/models/Device.h"
#include "core/models/Registry.h"
#include "core/training/ModelFile.h"
#include "core/training/SequenceFile.h"
#include "core/workbench/FileContent.h"

namespace headlight {
namespace {

Experiment describedBy(const Checkpoint& checkpoint, const std::string& where,
                       std::vector<std::string>& classNames, std::vector<std::string>& notes) {
  if (auto metadata = valueOrThrow(readModelMetadata(checkpoint.metadata, where))) {
    classNames = metadata->classNames;
    return metadata->experiment;
  }
  Experiment experiment;
  experiment.model = inferModel(checkpoint, notes);
  return experiment;
}

Experiment describedByName(const std::string& name) {
  const PublishedModel* published = findPublishedModel(name);
  if (!published) {
    std::vector<std::string> names;
    for (const auto& model : publishedModels())
      names.push_back(model.name);
    const std::string close = closestName(name, names);
    throw Failure({ErrorCode::NotFound,
                   "is neither a published model nor a file" +
                       (close.empty() ? std::string("; headlight-cli summary --list names them")
                                      : "; did you mean " + close + "?"),
                   name});
  }
  Experiment experiment;
  experiment.name = published->name;
  experiment.model = published->config;
  experiment.masks.scheme = published->scheme;
  return experiment;
}

void load(LoadedModel& loaded, const Checkpoint& checkpoint, const std::filesystem::path& path) {
  refuseSequenceModel(checkpoint.metadata, path.string());
  const LoadPlan plan = planFor(*loaded.model, checkpoint);
  if (plan.report.matched.empty() && plan.report.resized.empty())
    throw Failure({ErrorCode::InvalidFile,
                   "nothing in it fits this model (" + plan.report.summary() +
                       "); choose the model that it belongs to",
                   path.string()});
  const double progress = progressOf(checkpoint.metadata, path.string());
  valueOrThrow(applyLoad(loaded.model->state(), plan));
  loaded.model->setProgress(progress);
  loaded.info.report = plan.report;
  loaded.info.weights = path;
  loaded.info.randomWeights = false;
}

}  // namespace

LoadPlan planFor(const Model& model, const Checkpoint& checkpoint) {
  refuseSequenceModel(checkpoint.metadata, "checkpoint");
  const Grid grid = model.grid(0);
  auto plan =
      valueOrThrow(planLoad(model.state(), checkpoint,
                            {.prefixTokens = grid.prefix, .rows = grid.rows, .cols = grid.cols}));
  return plan;
}

LoadedModel buildModel(const Experiment& experiment, const std::string& device) {
  LoadedModel loaded;
  loaded.model = makeModel(experiment.model, static_cast<std::uint64_t>(experiment.seed));
  loaded.model->setMasks(
      valueOrThrow(resolveMasks(experiment.masks, loaded.model->masks().shape())));
  const at::Device target = deviceFromConfig(device);
  loaded.model->to(target);
  loaded.model->eval();
  ModelInfo& info = loaded.info;
  info.experiment = experiment;
  info.heads = loaded.model->headsPerLayer();
  info.grid = loaded.model->grid(0);
  // A class token may join later (CaiT, ConViT): it can be asked about all the same.
  for (int layer = 1; layer < loaded.model->layers(); ++layer)
    info.grid.prefix = std::max(info.grid.prefix, loaded.model->grid(layer).prefix);
  info.mapMeaning = loaded.model->mapMeaning();
  info.mapIsSigned = loaded.model->mapIsSigned();
  info.mapRowsSumToOne = loaded.model->mapRowsSumToOne();
  for (const auto& [name, tensor] : loaded.model->trainable())
    info.parameters += tensor.numel();
  info.macs = modelCost(experiment.model, loaded.model->masks()).macs;
  info.device = target.str();
  info.randomWeights = true;
  return loaded;
}

LoadedModel loadModel(const ModelSource& source) {
  const bool describedByFile =
      !source.model.empty() && !findPublishedModel(source.model) && mayBeThere(source.model);
  const bool config = describedByFile && looksLikeConfig(source.model);
  // A checkpoint named as the model describes itself and, unless others are given, has the weights.
  std::filesystem::path weights = source.weights;
  if (weights.empty() && describedByFile && !config) weights = source.model;
  std::optional<Checkpoint> checkpoint;
  if (!weights.empty()) checkpoint = weightsOf(valueOrThrow(readCheckpoint(weights)));

  Experiment experiment;
  std::vector<std::string> classNames, notes;
  if (source.model.empty() || (describedByFile && weights == source.model)) {
    if (!checkpoint)
      throw Failure(
          {ErrorCode::InvalidArgument, "name a model, a config or a checkpoint", "model"});
    experiment = describedBy(*checkpoint, weights.string(), classNames, notes);
  } else if (config) {
    experiment = valueOrThrow(readExperiment(source.model, modelCatalogue()));
  } else if (describedByFile) {
    const auto other = valueOrThrow(readCheckpoint(source.model));
    experiment = describedBy(other, source.model, classNames, notes);
  } else {
    experiment = describedByName(source.model);
  }
  if (source.seed != 0) experiment.seed = source.seed;
  LoadedModel loaded = buildModel(experiment, source.device);
  if (checkpoint) {
    load(loaded, *checkpoint, weights);
    if (classNames.empty())
      if (const auto metadata = readModelMetadata(checkpoint->metadata, weights.string());
          metadata && metadata.value())
        classNames = metadata.value()->classNames;
    notes.insert(notes.end(), checkpoint->notes.begin(), checkpoint->notes.end());
  }
  if (static_cast<int>(classNames.size()) == experiment.model.classes)
    loaded.info.classNames = classNames;
  loaded.info.notes = notes;
  return loaded;
}

}  // namespace headlight
