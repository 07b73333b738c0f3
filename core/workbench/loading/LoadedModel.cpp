// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/LoadedModel.h"

#include <ATen/ATen.h>

#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/models/layers/Device.h"
#include "core/training/run/ModelFile.h"
#include "core/training/sequence/SequenceFile.h"
#include "core/workbench/identify/IdentifyModel.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/loading/LearnedAlphas.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/loading/OlderRules.h"
#include "core/workbench/loading/Weights.h"

namespace headlight {
namespace {

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

void load(LoadedModel& loaded, const Checkpoint& checkpoint, const ModelSource& source,
          const std::filesystem::path& path, Description& known) {
  refuseSequenceModel(checkpoint.metadata, path.string());
  const LoadPlan plan = planFor(*loaded.model, checkpoint, {}, path.string());
  requireFit(plan.report, source.partial, path.string());
  const double progress = progressOf(checkpoint.metadata, path.string());
  applyWeights(*loaded.model, plan, learnedAlphasIn(checkpoint, path.string()));
  loaded.model->setProgress(progress);
  loaded.info.report = plan.report;
  loaded.info.weights = fileOfWeights(path);
  loaded.info.randomWeights = false;
  loaded.info.alphas = softAlphasOf(*loaded.model);
  if (known.classNames.empty())
    if (const auto own = guarded(path.string(), [&] { return classesOf(checkpoint, path); })) {
      known.classNames = own->names;
      known.classKeys = own->keys;
    }
  known.notes.insert(known.notes.end(), checkpoint.notes.begin(), checkpoint.notes.end());
}

/// `other`: of weights that came beside the description of the model; else null.
void noteRules(ModelInfo& info, const Checkpoint* other) {
  const ModelConfig& model = info.experiment.model;
  std::vector<std::string> rules = olderRulesOf(model);
  if (other)
    if (const auto carried = readModelMetadata(other->metadata, ""); carried && *carried)
      for (std::string& rule : otherRulesOf(model, (*carried)->experiment.model))
        rules.push_back(std::move(rule));
  info.notes.insert(info.notes.end(), rules.begin(), rules.end());
}

Description describedBy(const HubModel& hub) {
  return {hub.experiment, hub.classNames, hub.classKeys, hub.notes, false};
}

/// The folder of the hub that says what model it is: named as the model, or as weights alone.
std::optional<Description> describedByFolder(const ModelSource& source) {
  if (!source.model.empty() && findPublishedModel(source.model)) return std::nullopt;
  const std::filesystem::path place =
      source.model.empty() ? source.weights : std::filesystem::path(source.model);
  if (!isWeightsFolder(place)) return std::nullopt;
  return describedBy(readHubConfig(valueOrThrow(findHubFolder(place))));
}

/// The grid of the model that a file says it is of; a grid without rows where it does not.
Grid gridIn(const Checkpoint& checkpoint) {
  // Weights of a model that is open, which come with every step that is looked at, say nothing.
  if (checkpoint.metadata.empty()) return {0, 0, 0};
  const auto said = guarded("", [&] {
    if (const auto own = valueOrThrow(readModelMetadata(checkpoint.metadata, "")))
      return own->experiment.model.grid();
    std::vector<std::string> notes;
    return identifyModel(checkpoint, notes).grid();
  });
  return said ? *said : Grid{0, 0, 0};
}

/// Buffers that other writers keep and that follow from the model's sizes.
bool followsFromSizes(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  return last == "relative_position_index" || last == "attn_mask" ||
         last == "attention_bias_idxs" || last == "num_batches_tracked";
}

}  // namespace

LoadPlan planFor(const Model& model, const Checkpoint& checkpoint, std::optional<Grid> fileGrid,
                 const std::string& where) {
  refuseSequenceModel(checkpoint.metadata, where);
  const Grid grid = model.grid(0), file = fileGrid.value_or(gridIn(checkpoint));
  return valueOrThrow(planLoad(stateFor(model, checkpoint, where), checkpoint,
                               {.prefixTokens = grid.prefix,
                                .rows = grid.rows,
                                .cols = grid.cols,
                                .fileRows = file.rows,
                                .fileCols = file.cols}));
}

void requireFit(const LoadReport& report, bool partial, const std::string& where) {
  if (report.matched.empty() && report.resized.empty() && report.taken.empty())
    throw Failure({ErrorCode::InvalidFile,
                   "nothing in it fits this model (" + report.summary() +
                       "); choose the model that it belongs to",
                   where});
  const auto unfilled = report.unfilled();
  if (partial || unfilled.empty()) return;
  throw Failure({ErrorCode::InvalidFile,
                 "does not fit the model: " + std::to_string(unfilled.size()) +
                     " of its tensors would stay random (" + report.summary() +
                     "); choose the model that it belongs to, or go on all the same with --partial",
                 where});
}

void requireExplained(const Model& model, const Checkpoint& checkpoint, const std::string& where) {
  LoadReport report = planFor(model, weightsOf(checkpoint), {}, where).report;
  std::erase_if(report.unexpected, followsFromSizes);
  std::erase_if(report.missing, followsFromSizes);
  if (report.complete()) return;
  throw Failure({ErrorCode::UnsupportedFile,
                 "its tensors are not those of the model that they look like (" +
                     model.config().backbone + ", " + model.config().mechanism +
                     " attention): " + report.summary() +
                     "; give the model it belongs to by name or config (--model)",
                 where});
}

Description describe(const Checkpoint& checkpoint, const std::string& where) {
  Description description;
  const NamedTensors weights = weightsOf(checkpoint.tensors);
  if (auto metadata = valueOrThrow(readModelMetadata(checkpoint.metadata, where))) {
    const KnownClasses own = classesOf(checkpoint, where);
    description.classNames = own.names;
    description.classKeys = own.keys;
    description.experiment = metadata->experiment;
    requireHeld(description.experiment.model, weights, where);
    return description;
  }
  if (isMapFile(where)) throw Failure(needsModel(where));
  if (const auto beside = describedBeside(where, description.notes)) return describedBy(*beside);
  description.experiment.model = identifyModel(checkpoint, description.notes, where);
  description.inferred = true;
  return description;
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
  info.device = target.str();
  info.randomWeights = true;
  info.alphas = softAlphasOf(*loaded.model);
  nameClasses(info, {});
  return loaded;
}

Description describeFile(const std::filesystem::path& path) {
  const auto checkpoint = valueOrThrow(readCheckpoint(path));
  Description known = describe(checkpoint, path.string());
  if (known.inferred)
    requireExplained(*makeModel(known.experiment.model, 0), checkpoint, path.string());
  return known;
}

LoadedModel loadModel(const ModelSource& given) {
  ModelSource source = given;
  if (isHubConfig(source.model))
    source.model = std::filesystem::absolute(source.model).parent_path().string();
  const bool describedByFile =
      !source.model.empty() && !findPublishedModel(source.model) && isThere(source.model);
  const bool config = describedByFile && looksLikeConfig(source.model);
  // A checkpoint named as the model describes itself and, unless others are given, has the weights.
  std::filesystem::path weights = source.weights;
  if (weights.empty() && describedByFile && !config) weights = source.model;
  const auto folder = describedByFolder(source);  // before weights are read, which takes longer
  std::optional<Checkpoint> checkpoint;
  if (!weights.empty()) checkpoint = readWeights(weights);

  const bool describesItself = source.model.empty() || (describedByFile && weights == source.model);
  if (describesItself && !checkpoint)
    throw Failure({ErrorCode::InvalidArgument, "name a model, a config or a checkpoint", "model"});
  Description known;
  if (folder)
    known = *folder;
  else if (describesItself)
    known = describe(*checkpoint, weights.string());
  else if (config)
    known.experiment = valueOrThrow(readExperiment(source.model, modelCatalogue()));
  else if (describedByFile)
    known = describeFile(source.model);
  else
    known.experiment = describedByName(source.model);

  if (source.seed != 0) known.experiment.seed = source.seed;
  if (source.imageHeight > 0) {
    known.experiment.model.imageSize = source.imageHeight;
    known.experiment.model.imageWidth = source.imageWidth;
  }
  if (checkpoint && !source.partial)
    requireHeld(known.experiment.model, checkpoint->tensors, weights.string(), /*resized=*/true);
  LoadedModel loaded = buildModel(known.experiment, source.device);
  if (checkpoint && describesItself && known.inferred)
    requireExplained(*loaded.model, *checkpoint, weights.string());
  if (checkpoint) load(loaded, *checkpoint, source, weights, known);
  nameClasses(loaded.info, {known.classNames, known.classKeys}, source.classNames);
  loaded.info.notes = known.notes;
  noteRules(loaded.info, describesItself || !checkpoint ? nullptr : &*checkpoint);
  return loaded;
}

}  // namespace headlight
