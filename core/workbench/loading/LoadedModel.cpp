// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/LoadedModel.h"

#include <ATen/ATen.h>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/checkpoint/ForeignNames.h"
#include "core/checkpoint/foreign/TimmNames.h"
#include "core/models/Registry.h"
#include "core/models/layers/Device.h"
#include "core/training/run/ModelFile.h"
#include "core/training/sequence/SequenceFile.h"
#include "core/training/tuning/Adapters.h"
#include "core/workbench/foreign/ForeignModel.h"
#include "core/workbench/identify/IdentifyModel.h"
#include "core/workbench/identify/UnknownParts.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/loading/LearnedAlphas.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/loading/ModelsInFolder.h"
#include "core/workbench/loading/OlderRules.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/loading/WeightsName.h"
#include "core/workbench/loading/WeightsPlace.h"
#include "core/workbench/prompts/PromptHead.h"

namespace headlight {
namespace {

Experiment describedByName(const std::string& name) {
  const PublishedModel* published = findPublishedModel(name);
  if (!published) {
    std::vector<std::string> names;
    for (const auto& model : publishedModels())
      names.push_back(model.name);
    const std::string close = closestName(name, names);
    throw Failure(
        {ErrorCode::NotFound,
         tr("is neither a published model nor a file") +
             (close.empty() ? std::string(tr("; headlight-cli summary --list shows the models"))
                            : tr("; did you mean ") + close + "?"),
         name});
  }
  Experiment experiment;
  experiment.name = published->name;
  experiment.model = published->config;
  experiment.masks.scheme = published->scheme;
  return experiment;
}

void load(LoadedModel& loaded, const Checkpoint& checkpoint, const ModelSource& source,
          const std::filesystem::path& path, Description& known, std::optional<Grid> described) {
  refuseSequenceModel(checkpoint.metadata, path.string());
  const LoadPlan plan = planFor(*loaded.model, checkpoint, described, path.string());
  requireFit(plan.report, source.partial, path.string());
  const double progress = readProgress(checkpoint.metadata, path.string());
  applyWeights(*loaded.model, plan, learnedAlphasIn(checkpoint, path.string()));
  loaded.model->setProgress(progress);
  loaded.info.report = plan.report;
  loaded.info.weights = fileOfWeights(path, source.take);
  loaded.info.weightsName = makeWeightsName(loaded.info.weights, checkpoint.metadata);
  loaded.info.randomWeights = false;
  loaded.info.alphas = readSoftAlphas(*loaded.model);
  if (known.classNames.empty())
    if (const auto own = guarded(path.string(), [&] { return findClasses(checkpoint, path); })) {
      known.classNames = own->names;
      known.classKeys = own->keys;
    }
  known.notes.insert(known.notes.end(), checkpoint.notes.begin(), checkpoint.notes.end());
  if (const std::string note = bottleneckNote(checkpoint.tensors); !note.empty())
    known.notes.push_back(note);
}

/// `other`: of weights that came beside the description of the model; else null.
void noteRules(ModelInfo& info, const Checkpoint* other) {
  const ModelConfig& model = info.experiment.model;
  std::vector<std::string> rules = listOlderRules(model);
  if (other)
    if (const auto carried = readModelMetadata(other->metadata, ""); carried && *carried)
      for (std::string& rule : listOtherRules(model, (*carried)->experiment.model))
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

/// Of a model that is built only to see whether the names in a file are all its own.
constexpr std::int64_t kMostBuilt = 30'000'000;

void addNotes(Description& known, const std::vector<std::string>& notes) {
  known.notes.insert(known.notes.end(), notes.begin(), notes.end());
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

PositionFilter filterOf(const ModelConfig& model) {
  const std::string filter = model.layout.value("position_filter", "antialiased");
  if (filter == "bicubic") return PositionFilter::Bicubic;
  return filter == "bilinear" ? PositionFilter::BilinearAntialiased
                              : PositionFilter::BicubicAntialiased;
}

// ---- Prompts ---------------------------------------------------------------------------------------

/// Of a file that describes itself, or that is in no folder that says so, there is none.
TextSide textSideOf(const std::filesystem::path& weights, const std::string& take,
                    const Checkpoint& checkpoint) {
  if (checkpoint.metadata.contains("experiment")) return {};
  const auto side = guarded(weights.string(), [&] {
    const auto folder = folderAround(weights);
    if (!describesTextTower(folder)) return TextSide();
    const auto shapes = valueOrThrow(readCheckpointShapes(tensorFilesOf(weights), take));
    return findTextSide(folder, shapes.tensors);
  });
  return side ? *side : TextSide();
}

std::string promptNote(std::size_t count, bool sigmoid) {
  return "its classes are " + std::to_string(count) + (count == 1 ? " prompt; " : " prompts; ") +
         (sigmoid ? "the probability of each is its own (sigmoid), so that they do not sum to 1"
                  : "probabilities are shares among them (softmax)");
}

void dropHalfNotes(std::vector<std::string>& notes) {
  std::erase_if(notes, [](const std::string& note) {
    return note == kTextHalfNote || note.ends_with(kEmbeddingNote) ||
           note == "left aside: the text half";  // of the reader
  });
}

/// The image half becomes a classifier of the prompts.
void usePrompts(const ModelSource& source, const std::filesystem::path& weights,
                const TextSide& side, Checkpoint& checkpoint, Description& known) {
  if (!side.takesPrompts())
    throw Failure({ErrorCode::InvalidArgument, whyNoPrompts(side), weights.string()});
  known.classNames = valueOrThrow(promptTexts(source.prompts));
  known.classKeys.clear();
  if (source.prompts.lines != known.classNames) known.classKeys = source.prompts.lines;
  const std::string take = source.take.empty() ? parseWeightsPlace(weights).take : source.take;
  const auto whole = valueOrThrow(readCheckpoint(tensorFilesOf(weights), take));
  const auto prompts = embedPrompts(known.classNames, folderAround(weights), whole.tensors);
  addPromptHead(prompts, checkpoint, known.experiment.model);
  dropHalfNotes(known.notes);
  dropHalfNotes(checkpoint.notes);
  known.notes.push_back(promptNote(known.classNames.size(), prompts.sigmoid));
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
  const Grid grid = model.positionGrid(), file = fileGrid.value_or(gridIn(checkpoint));
  return valueOrThrow(planLoad(stateFor(model, checkpoint, where), checkpoint,
                               {.prefixTokens = grid.prefix,
                                .rows = grid.rows,
                                .cols = grid.cols,
                                .fileRows = file.rows,
                                .fileCols = file.cols,
                                .filter = filterOf(model.config())}));
}

void requireFit(const LoadReport& report, bool partial, const std::string& where) {
  if (report.matched.empty() && report.resized.empty() && report.taken.empty())
    throw Failure({ErrorCode::InvalidFile,
                   tr("no tensor in it fits this model (") + report.summary() +
                       tr("); choose the model that it belongs to"),
                   where});
  const auto unfilled = report.unfilled();
  if (partial || unfilled.empty()) return;
  throw Failure({ErrorCode::InvalidFile,
                 tr("does not fit the model: ") + std::to_string(unfilled.size()) +
                     tr(" of its tensors would stay random (") + report.summary() +
                     tr("); choose the model that it belongs to, or accept this with --partial"),
                 where});
}

std::vector<std::string> requireExplained(const Model& model, const Checkpoint& checkpoint,
                                          const std::string& where) {
  LoadReport report = planFor(model, weightsOf(checkpoint), {}, where).report;
  std::erase_if(report.unexpected, followsFromSizes);
  std::erase_if(report.missing, followsFromSizes);
  auto notes = leaveUnknownParts(report.unexpected, model.config().classes == 0);
  if (report.complete()) return notes;
  throw Failure({ErrorCode::UnsupportedFile,
                 tr("its tensors do not match the recognized model (") + model.config().backbone +
                     ", " + model.config().mechanism + " attention): " + report.summary() +
                     tr("; give its model by name or config (--model)"),
                 where});
}

Description describe(const Checkpoint& checkpoint, const std::string& where, int heads) {
  Description description;
  const NamedTensors weights = weightsOf(checkpoint.tensors);
  if (auto metadata = valueOrThrow(readModelMetadata(checkpoint.metadata, where))) {
    const KnownClasses own = findClasses(checkpoint, where);
    description.classNames = own.names;
    description.classKeys = own.keys;
    description.experiment = metadata->experiment;
    requireHeld(description.experiment.model, weights, where);
    return description;
  }
  if (isMapFile(where)) throw Failure(needsModel(where));
  if (const auto beside = describedBeside(where, description.notes)) return describedBy(*beside);
  description.experiment.model = identifyModel(checkpoint, description.notes, where, heads);
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
  info.alphas = readSoftAlphas(*loaded.model);
  nameClasses(info, {});
  return loaded;
}

Description describeFile(const std::filesystem::path& path, int heads) {
  const auto checkpoint = readWeights(path);
  Description known = describe(checkpoint, path.string(), heads);
  if (known.inferred)
    addNotes(known,
             requireExplained(*makeModel(known.experiment.model, 0), checkpoint, path.string()));
  return known;
}

Description describeShapes(const std::filesystem::path& path) {
  auto checkpoint = inTimmNames(
      valueOrThrow(readCheckpointShapes(tensorFilesOf(path), parseWeightsPlace(path).take)));
  spreadGrayPatches(checkpoint);
  refuseSequenceModel(checkpoint.metadata, path.string());
  Description known = describe(checkpoint, path.string());
  std::int64_t numbers = 0;
  for (const auto& [name, tensor] : checkpoint.tensors)
    numbers += tensor.numel();
  if (known.inferred && numbers <= kMostBuilt)
    addNotes(known,
             requireExplained(*makeModel(known.experiment.model, 0), checkpoint, path.string()));
  return known;
}

LoadedModel loadModel(const ModelSource& given) {
  ModelSource source = resolveModelFolder(given);
  const bool describedByFile = !source.model.empty() && !findPublishedModel(source.model) &&
                               isThere(parseWeightsPlace(source.model).file);
  const Input named = describedByFile ? identifyOrGuess(source.model) : Input();
  if (named.kind == InputKind::HubFolder) source.model = named.path.string();
  const bool config = named.isJson();
  // A checkpoint named as the model describes itself and, unless others are given, has the weights.
  std::filesystem::path weights = source.weights;
  if (weights.empty() && describedByFile && !config) weights = source.model;
  const auto folder = describedByFolder(source);  // before weights are read, which takes longer
  std::optional<Checkpoint> checkpoint;
  if (!weights.empty()) checkpoint = readWeights(weights, source.take);

  const bool describesItself = source.model.empty() || (describedByFile && weights == source.model);
  if (describesItself && !checkpoint)
    throw Failure(
        {ErrorCode::InvalidArgument, tr("give a model, a config or a checkpoint"), "model"});
  Description known;
  if (folder)
    known = *folder;
  else if (describesItself)
    known = describe(*checkpoint, weights.string(), source.heads);
  else if (config)
    known.experiment = valueOrThrow(readExperiment(source.model, modelCatalog()));
  else if (describedByFile)
    known = describeFile(source.model, source.heads);
  else
    known.experiment = describedByName(source.model);

  // A foreign config says of which images the weights are, which need not be square.
  const auto described = !known.inferred && (folder || describesItself) && checkpoint &&
                                 !checkpoint->metadata.contains("experiment")
                             ? std::optional(known.experiment.model.grid())
                             : std::nullopt;
  const TextSide side = checkpoint ? textSideOf(weights, source.take, *checkpoint) : TextSide();
  if (!source.prompts.empty()) {
    if (!checkpoint) throw Failure({ErrorCode::InvalidArgument, whyNoPrompts({}), source.model});
    usePrompts(source, weights, side, *checkpoint, known);
  }
  if (source.seed != 0) known.experiment.seed = source.seed;
  if (source.imageHeight > 0) {
    known.experiment.model.imageSize = source.imageHeight;
    known.experiment.model.imageWidth = source.imageWidth;
  }
  if (!source.transparency.empty()) known.experiment.model.transparency = source.transparency;
  if (checkpoint && !source.partial)
    requireHeld(known.experiment.model, checkpoint->tensors, weights.string(), /*resized=*/true);
  LoadedModel loaded = buildModel(known.experiment, source.device);
  if (checkpoint && describesItself && known.inferred)
    addNotes(known, requireExplained(*loaded.model, *checkpoint, weights.string()));
  if (checkpoint) load(loaded, *checkpoint, source, weights, known, described);
  nameClasses(loaded.info, {known.classNames, known.classKeys}, source.classNames);
  loaded.info.textSide = side;
  loaded.info.prompts = source.prompts;
  if (!source.prompts.empty() && source.classNames.empty())
    loaded.info.classNamesFrom = ClassNamesFrom::Prompts;
  loaded.info.notes = known.notes;
  noteRules(loaded.info, describesItself || !checkpoint ? nullptr : &*checkpoint);
  return loaded;
}

}  // namespace headlight
