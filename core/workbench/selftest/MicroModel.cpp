// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/MicroModel.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

#include "core/attention/kernels/KernelChoice.h"
#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "core/training/SharedBatches.h"
#include "core/training/step/StepLosses.h"
#include "core/training/step/StepRunner.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMicroSeed = 3, kMicroBatchSeed = 11;
constexpr std::int64_t kMicroImages = 4;
/// Of the training: steps that are taken, and at most so many with those that are skipped.
constexpr int kMicroSteps = 6, kMostMicroSteps = 20;
/// Of the steps that processes share: an odd number, so that they have different numbers of rows.
constexpr std::int64_t kSharedImages = 5, kSharedSteps = 3;

bool belongsTo(const Variant& backbone, const std::string& mechanism) {
  const auto& taken = backbone.mechanisms;
  return backbone.task == Task::Classify && !backbone.rules.withoutBlocks &&
         std::find(taken.begin(), taken.end(), mechanism) != taken.end();
}

std::string microBackbone(const std::string& mechanism) {
  const ModelCatalog& catalog = modelCatalog();
  if (!catalog.mechanism(mechanism)->special) return "vit";
  const auto found =
      std::find_if(catalog.backbones.begin(), catalog.backbones.end(),
                   [&](const Variant& backbone) { return belongsTo(backbone, mechanism); });
  return found == catalog.backbones.end() ? "vit" : found->name;
}

/// The first of its backbone.
ModelConfig publishedConfig(const std::string& backbone) {
  const auto& models = publishedModels();
  const auto found = std::find_if(models.begin(), models.end(), [&](const PublishedModel& model) {
    return model.config.backbone == backbone;
  });
  if (found == models.end())
    throw Failure({ErrorCode::NotFound, tr("no published model has this backbone"), backbone});
  return found->config;
}

ModelConfig shrunkConfig(ModelConfig config) {
  constexpr int kMostHeads = 12, kHeadWidth = 8;  // AFT has one a feature
  config.classes = 7;
  config.imageSize = 32;
  config.imageWidth = 0;
  config.patchSize = 8;
  config.depth = 3;
  config.heads = std::min(config.heads, kMostHeads);
  config.width = config.heads * kHeadWidth;
  config.dropPath = 0;
  return config;
}

std::shared_ptr<Model> microModel(const ModelConfig& config, const at::Device& device) {
  auto model = makeModel(config, kMicroSeed);
  model->to(device);
  return model;
}

Batch microBatch(const ModelConfig& config, std::int64_t images = kMicroImages) {
  const auto random = holdTorchRandom();
  seedTorch(kMicroBatchSeed);
  Batch batch;
  batch.images =
      at::randn({images, 3, config.imageHeightPixels(), config.imageWidthPixels()}, at::kFloat);
  batch.labels = at::randint(config.classes, {images}, at::kLong);
  return batch;
}

at::Tensor evaluatedLogits(Model& model, const at::Tensor& images) {
  const at::NoGradGuard noGrad;
  model.eval();
  return model.forward(images);
}

/// In one row; parameters that the loss does not reach have zeros.
at::Tensor gradientRow(const Model& model) {
  std::vector<at::Tensor> rows;
  for (const auto& [name, parameter] : model.trainable()) {
    const at::Tensor& gradient = parameter.grad();
    rows.push_back((gradient.defined() ? gradient : at::zeros_like(parameter)).flatten());
  }
  return at::cat(rows).detach();
}

at::Tensor learnedGradients(Model& model, const Batch& batch, const at::Device& device) {
  const auto random = holdTorchRandom();
  seedTorch(kMicroSeed);
  model.train();
  const MixedBatch mixed = mixedBatch(batch.images.to(device), batch.labels.to(device));
  stepLosses(model, mixed, TrainingConfig{}, /*teacher=*/nullptr).total.backward();
  return gradientRow(model);
}

/// Without warm-up and smoothing, so that six steps on one batch lower its loss.
TrainingConfig microTrainingConfig(const std::string& precision) {
  TrainingConfig config;
  config.precision = precision;
  config.epochs = kMostMicroSteps;
  config.warmupEpochs = 0;
  config.learningRate = 2e-3;
  config.labelSmoothing = 0;
  return config;
}

TrainingConfig sharedTrainingConfig() {
  TrainingConfig config = microTrainingConfig("float32");
  config.optimizer = "sgd";
  config.learningRate = 0.05;
  return config;
}

at::Tensor parameterRow(const Model& model) {
  std::vector<at::Tensor> rows;
  for (const auto& [name, parameter] : model.trainable())
    rows.push_back(parameter.detach().flatten());
  return at::cat(rows);
}

bool allFinite(const Model& model) {
  const auto parameters = model.trainable();
  return std::all_of(parameters.begin(), parameters.end(), [](const auto& named) {
    return named.second.scalar_type() == at::kFloat &&
           named.second.isfinite().all().template item<bool>();
  });
}

}  // namespace

std::vector<std::string> microMechanisms() {
  std::vector<std::string> names;
  for (const Variant& mechanism : modelCatalog().mechanisms)
    names.push_back(mechanism.name);
  return names;
}

ModelConfig microConfig(const std::string& mechanism) {
  ModelConfig config = shrunkConfig(publishedConfig(microBackbone(mechanism)));
  config.mechanism = mechanism;
  config.attention = Json::object();
  config = checkedAndCompleted(config);
  // A mechanism may have no place for prefix tokens, and refuses them.
  if (!guarded("selftest", [&] { makeModel(config, kMicroSeed); }))
    config.classToken = config.distilled = false;
  return config;
}

MicroOutcome microOutcome(const ModelConfig& config, const at::Device& device, bool plain) {
  std::optional<PlainKernels> scope;
  if (plain) scope.emplace();
  const Batch batch = microBatch(config);
  const auto model = microModel(config, device);
  MicroOutcome outcome;
  outcome.logits = evaluatedLogits(*model, batch.images.to(device));
  outcome.gradients = learnedGradients(*model, batch, device);
  return outcome;
}

at::Tensor microLogits(const ModelConfig& config, const at::Device& device, Precision precision) {
  const at::Tensor images = microBatch(config).images.to(device);
  const auto model = microModel(config, device);
  const AutocastScope autocast(precision, device);
  return evaluatedLogits(*model, images);
}

MicroTraining microTraining(const ModelConfig& config, const at::Device& device,
                            const std::string& precision) {
  const auto model = microModel(config, device);
  model->train();
  StepRunner runner(model, device, microTrainingConfig(precision), kMicroSeed,
                    /*stepsPerEpoch=*/1);
  const Batch batch = microBatch(config);
  MicroTraining training;
  for (int step = 0; step < kMostMicroSteps && training.taken < kMicroSteps; ++step) {
    const StepResult result = runner.run(batch, step);
    if (step == 0) training.first = result.loss;
    training.last = result.loss;
    ++(result.skipped ? training.skipped : training.taken);
  }
  training.finite = allFinite(*model);
  return training;
}

at::Tensor microWeights(const ModelConfig& config, const at::Device& device,
                        const std::shared_ptr<Processes>& processes) {
  const auto model = microModel(config, device);
  model->train();
  StepRunner runner(model, device, sharedTrainingConfig(), kMicroSeed, /*stepsPerEpoch=*/1,
                    /*teacher=*/nullptr, processes);
  const Batch batch = ownShare(microBatch(config, kSharedImages), processes.get());
  for (std::int64_t step = 0; step < kSharedSteps; ++step)
    runner.run(batch, step);
  return parameterRow(*model);
}

}  // namespace headlight
