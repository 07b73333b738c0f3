// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/SequenceExperiment.h"

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/config/DatasetKinds.h"
#include "core/config/Reading.h"
#include "core/config/RunId.h"

namespace headlight {
namespace {

constexpr const char* kTask = "sequence";

/// What tells the two kinds of configs apart, and the version.
Result<void> readHead(const Json& json) {
  for (const char* key : {"masks", "telemetry", "edits"})
    if (json.contains(key))
      return invalidConfig(tr("belongs to an image classifier; train it with headlight-cli train. "
                              "A sequence model's config has data, model and training"),
                           key);
  if (json.contains("task") && json["task"] != kTask)
    return invalidConfig(std::string(tr("must be \"")) + kTask + tr("\" or left out"), "task");
  return checkSchema(json, SequenceExperiment::kSchema);
}

/// Parameters that a Synthesizer's logits come from.
double synthesizedPairs(const SequenceModelConfig& model, double length) {
  if (model.synthesis == "dense") return length * (model.width + model.heads);
  return model.heads * length * (model.synthesis == "random" ? length : 2.0 * model.rank);
}

/// About how many there are; a double, since their number may be beyond all integers.
double parameterCount(const SequenceExperiment& experiment) {
  const SequenceModelConfig& model = experiment.model;
  const double width = model.width, length = static_cast<double>(experiment.length());
  const double pairs = model.isSynthesizer()        ? synthesizedPairs(model, length)
                       : model.isConv()             ? double{1} * model.heads * (model.window + 2)
                       : !model.hasPositionBiases() ? 0
                       : model.factorized           ? 2 * length * model.rank
                                                    : length * length;
  return model.depth * ((4 + 2 * model.mlpRatio) * width * width + pairs) + width * (length + 513);
}

Result<void> checkParameterCount(const SequenceExperiment& experiment) {
  constexpr double kMostParameters = 4e9;
  const double parameters = parameterCount(experiment);
  if (parameters <= kMostParameters) return {};
  return invalidConfig(
      tr("makes a model of about ") + std::to_string(static_cast<long long>(parameters / 1e6)) +
          tr(" million parameters, above the limit of 4000 million; use a smaller width, depth or "
             "mlp_ratio, or factorized position biases of a smaller rank"),
      "model.width");
}

Result<void> checkTogether(const SequenceExperiment& experiment) {
  const SequenceModelConfig& model = experiment.model;
  if (model.hiddenWidth() < 1)
    return invalidConfig(
        tr("leaves the MLP without features; width times mlp_ratio must be at least 1"),
        "model.mlp_ratio");
  if (model.isConv() && model.window < 1)
    return invalidConfig(tr("must be at least 1 for aft_conv; aft_simple has no position biases"),
                         "model.window");
  if (model.hasHeads() && model.width % model.heads != 0)
    return invalidConfig(tr("does not divide model.width (") + std::to_string(model.width) +
                             tr("); all heads have the same width"),
                         "model.heads");
  if (experiment.training.minLearningRate > experiment.training.learningRate)
    return invalidConfig(tr("must not be above training.learning_rate"),
                         "training.min_learning_rate");
  return checkParameterCount(experiment);
}

}  // namespace

Result<SequenceSplit> sequenceSplitFromText(const std::string& text) {
  if (text == "train") return SequenceSplit::Train;
  if (text == "validation") return SequenceSplit::Validation;
  if (text == "test") return SequenceSplit::Test;
  return Error{ErrorCode::InvalidArgument,
               "\"" + text + tr("\" is not a split; choose train, validation or test"), "split"};
}

std::int64_t SequenceExperiment::length() const {
  const std::int64_t side = data.imageSize;
  return ofImages() ? side * side * 3 : model.length;
}

const ParameterTable& sequenceRunParameters() {
  static const ParameterTable table = runTable<SequenceExperiment>();
  return table;
}

const ParameterTable& sequenceDataParameters() {
  using D = SequenceDataConfig;
  static const ParameterTable table =
      TableBuilder<D>()
          .choice(&D::kind, "kind", {"images", "text"},
                  "Kind of data: images as bytes by row, column and color, or the bytes of a text "
                  "file.")
          .formerChoice("pictures", "images")
          .choice(&D::dataset, "dataset", datasetKindNames(/*ofSequences=*/true),
                  "Images: dataset kind: " + datasetKindsText(/*ofSequences=*/true) + ".")
          .text(&D::path, "path", "Image folder or text file; unused by texture-shape.")
          .integer(&D::imageSize, "image_size", 4, 64,
                   "Images: size in pixels; a sequence has three bytes per pixel.")
          .integer(&D::maxSamples, "max_samples", 0, 1e12,
                   "Images: use at most this many of the training split; 0: all.")
          .integer(&D::trainSamples, "train_samples", 2, 1e9,
                   "texture-shape: images in the training split.")
          .integer(&D::validationSamples, "validation_samples", 2, 1e9,
                   "texture-shape: images in the validation split.")
          .number(&D::validationFraction, "validation_fraction", 0.001, 0.9,
                  "Images: share used for validation if the folder has no validation split.")
          .boolean(&D::augment, "augment",
                   "Images: random flips and a shift of all values by at most 10, in training.")
          .build();
  return table;
}

const ParameterTable& sequenceModelParameters() {
  using M = SequenceModelConfig;
  static const ParameterTable table =
      TableBuilder<M>()
          .choice(&M::mechanism, "mechanism",
                  {"softmax", "aft_full", "aft_local", "aft_simple", "aft_conv",
                   "linear_transformer", "performer", "synthesizer"},
                  "Causal mechanism: a Transformer's softmax, AFT-full (Eq. 2), AFT-local (Eq. 4), "
                  "AFT-simple (Eq. 5), AFT-conv (Eq. 6), or a baseline of AFT's Table 4: Linear "
                  "Transformer, Performer, Synthesizer.")
          .integer(&M::width, "width", 1, 4096, "Features D of each position.")
          .integer(&M::depth, "depth", 1, 128, "Blocks.")
          .number(&M::mlpRatio, "mlp_ratio", 0.01, 32,
                  "Hidden width of the MLP, as a multiple of width.")
          .integer(&M::length, "length", 2, 65536,
                   "Text: sequence length T in bytes; for images it follows from their size.")
          .integer(&M::heads, "heads", 1, 1024,
                   "All but aft_full, aft_local, aft_simple: number of heads H; must divide the "
                   "width.")
          .integer(&M::rank, "rank", 1, 1024,
                   "aft_full, aft_local: width d' of the two factors of the position biases (Eq. "
                   "7); factorized synthesizer: of its logits.")
          .boolean(&M::factorized, "factorized",
                   "aft_full, aft_local: factorize the position biases into two thin matrices (Eq. "
                   "7) instead of one full matrix.")
          .formerly("factorised")
          .integer(
              &M::window, "window", 0, 65536,
              "aft_local: window; bytes at a smaller distance have a learned bias (Eq. 4). 0: "
              "none. aft_conv: taps of each head's kernel, over the current byte and those before "
              "it (Eq. 6).")
          .boolean(&M::reparametrize, "reparametrize",
                   "aft_conv: normalize each head's taps, with a learned gain and shift (Eq. 8).")
          .boolean(&M::query, "query",
                   "AFT: gate the result by a sigmoid of the query; off is an ablation.")
          .integer(&M::features, "features", 0, 16384,
                   "performer: random features m of each head; 0: d·ln d for heads d wide.")
          .integer(&M::featureSeed, "feature_seed", 0, 2147483647,
                   "performer: seed of the random features, which are never drawn anew.")
          .choice(&M::synthesis, "synthesis", {"dense", "random", "factorized"},
                  "synthesizer: logits by a small MLP of each token (dense), learned for every "
                  "pair of positions (random), or as a product of two thin matrices (factorized).")
          .number(&M::dropout, "dropout", 0, 0.9,
                  "Dropout rate after the embedding and every branch, in training.")
          .build();
  return table;
}

const ParameterTable& sequenceTrainingParameters() {
  using T = SequenceTrainingConfig;
  static const ParameterTable table =
      TableBuilder<T>()
          .integer(&T::steps, "steps", 1, 1e9, "Optimizer steps.")
          .integer(&T::batchSize, "batch_size", 1, 65536, "Sequences per step, over all processes.")
          .choice(&T::schedule, "schedule", {"cosine", "inverse_sqrt"},
                  "Schedule after the warm-up: cosine to min_learning_rate, or inverse_sqrt, "
                  "divided by the root of the step over warmup_steps (AFT, §5.1).")
          .number(&T::learningRate, "learning_rate", 0, 10, "Peak learning rate.")
          .number(&T::minLearningRate, "min_learning_rate", 0, 10,
                  "Learning rate at the end of the cosine; the minimum of inverse_sqrt.")
          .integer(&T::warmupSteps, "warmup_steps", 0, 1e9, "Steps of linear warm-up.")
          .number(&T::weightDecay, "weight_decay", 0, 10,
                  "AdamW weight decay; biases, norms, embeddings and positions have none.")
          .number(&T::clipGradient, "clip_gradient", 0, 1e6,
                  "Clip the global gradient norm to this value; 0: no clipping.")
          .number(&T::emaDecay, "ema_decay", 0, 0.999999,
                  "Decay of the moving average of the weights; 0: none.")
          .text(&T::weights, "weights",
                "Run of the same model, or weights, to start from; empty: from scratch.")
          .integer(&T::evaluateSteps, "evaluate_steps", 1, 1e9, "Steps between validations.")
          .integer(&T::evaluateSamples, "evaluate_samples", 0, 1e9,
                   "Sequences per validation, spread evenly over the split; 0: all.")
          .integer(&T::checkpointSteps, "checkpoint_steps", 1, 1e9,
                   "Write the last checkpoint at least every this many steps.")
          .number(&T::timeout, "timeout", 1, 1e6,
                  "With several processes: how many seconds one waits for the others.")
          .build();
  return table;
}

const std::vector<Section>& sequenceSections() {
  static const std::vector<Section> sections{
      {"", "Run", &sequenceRunParameters()},
      {"data", "Data", &sequenceDataParameters()},
      {"model", "Model", &sequenceModelParameters()},
      {"training", "Training", &sequenceTrainingParameters()},
  };
  return sections;
}

Result<SequenceExperiment> sequenceFromJson(const Json& json) {
  return guarded("sequence", [&] {
    SequenceExperiment experiment;
    if (json.is_object()) valueOrThrow(readHead(json));
    valueOrThrow(runIdIn(json));
    valueOrThrow(readParameters(sequenceRunParameters(), json, &experiment, "",
                                {"schema", "task", "data", "model", "training", kRunKey}));
    const auto read = [&](const ParameterTable& table, const char* key, void* section) {
      valueOrThrow(readParameters(table, findSection(json, key), section, key));
    };
    read(sequenceDataParameters(), "data", &experiment.data);
    read(sequenceModelParameters(), "model", &experiment.model);
    read(sequenceTrainingParameters(), "training", &experiment.training);
    valueOrThrow(checkTogether(experiment));
    return experiment;
  });
}

Result<SequenceExperiment> sequenceFromText(std::string_view text, const std::string& name) {
  auto json = parseConfigJson(text, name);
  if (!json) return json.error();
  auto experiment = sequenceFromJson(*json);
  if (!experiment) return invalidConfig(experiment.error().text(), name);
  return experiment;
}

Result<SequenceExperiment> readSequenceExperiment(const std::filesystem::path& path) {
  auto text = readFile(path, kMaxSequenceConfigBytes);
  if (!text) return text.error();
  return sequenceFromText(*text, path.string());
}

Json sequenceToJson(const SequenceExperiment& experiment) {
  Json json = {{"schema", SequenceExperiment::kSchema}, {"task", kTask}};
  json.update(writeParameters(sequenceRunParameters(), &experiment));
  json["data"] = writeParameters(sequenceDataParameters(), &experiment.data);
  json["model"] = writeParameters(sequenceModelParameters(), &experiment.model);
  json["training"] = writeParameters(sequenceTrainingParameters(), &experiment.training);
  return json;
}

Result<void> overrideSequenceParameter(Json& json, const std::string& path,
                                       const std::string& text) {
  const auto dot = path.find('.');
  const std::string key = dot == std::string::npos ? "" : path.substr(0, dot);
  const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
  if (!json.is_object()) json = Json::object();
  for (const auto& section : sequenceSections()) {
    const Parameter* parameter = section.key == key ? findParameter(*section.table, name) : nullptr;
    if (!parameter) continue;
    auto value = parameterFromText(*parameter, text, path);
    if (!value) return value.error();
    Json& object = key.empty() ? json : json[key];
    if (object.is_null()) object = Json::object();
    if (!object.is_object()) return invalidConfig(tr("must be an object of parameters"), key);
    parameter->assign(object, *value);
    return {};
  }
  return invalidConfig(tr("is not a parameter; headlight-cli sequence train --help lists them"),
                       path);
}

}  // namespace headlight
