// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/TimmArgs.h"

#include "core/config/YamlText.h"
#include "core/models/Registry.h"
#include "core/training/run/RunFolder.h"
#include "core/training/step/Schedule.h"

namespace headlight {
namespace {

/// A limit or a path that timm says nothing of where there is none.
template <typename T>
Json unlessNone(const T& value) {
  return value == T() ? Json() : Json(value);
}

/// The published name, where the model still is that one.
std::string modelName(const ModelConfig& model) {
  const PublishedModel* published = findPublishedModel(model.name);
  return published != nullptr && sameArchitecture(model, published->config) ? published->name
                                                                            : "custom";
}

void addModel(Json& args, const ModelConfig& model) {
  args["model"] = modelName(model);
  args["num_classes"] = model.classes;
  args["img_size"] =
      model.imageHeightPixels() == model.imageWidthPixels() ? Json(model.imageSize) : Json();
  args["input_size"] = {3, model.imageHeightPixels(), model.imageWidthPixels()};
  args["crop_pct"] = model.cropFraction;
  args["interpolation"] = model.interpolation;
  args["mean"] = model.mean;
  args["std"] = model.deviation;
  args["drop"] = 0.0;
  args["drop_path"] = model.dropPath;
}

/// timm expects a folder of folders by default.
std::string datasetName(const std::string& kind) {
  if (kind == kImageFolder) return "";
  return kind.starts_with("cifar") ? "torch/" + kind : kind;
}

void addData(Json& args, const DataConfig& data, const ModelConfig& model) {
  args["data_dir"] = unlessNone(data.path);
  args["dataset"] = datasetName(data.dataset);
  args["workers"] = data.loaderThreads;
  args["no_aug"] = !data.augment;
  args["scale"] = {data.minScale, 1.0};
  args["ratio"] = {data.minRatio, 1 / data.minRatio};
  args["hflip"] = data.flip;
  args["vflip"] = 0.0;
  args["color_jitter"] = data.colorJitter;
  args["aa"] = unlessNone(data.randAugment);
  args["aug_repeats"] = data.repeats > 1 ? static_cast<double>(data.repeats) : 0.0;
  args["reprob"] = data.erasing;
  args["remode"] = data.erasingMode;
  args["recount"] = data.erasingCount;
  args["train_interpolation"] = data.interpolation == "random" ? "random" : model.interpolation;
}

/// timm's "sgd" looks ahead by its momentum; the plain one is called "momentum" there.
std::string optimizerName(const TrainingConfig& training) {
  if (training.optimizer != "sgd") return training.optimizer;
  return training.nesterov ? "sgd" : "momentum";
}

void addOptimizer(Json& args, const TrainingConfig& training) {
  args["opt"] = optimizerName(training);
  args["opt_eps"] = training.epsilon;
  args["opt_betas"] = {training.beta1, training.beta2};
  args["momentum"] = training.momentum;
  args["weight_decay"] = training.weightDecay;
  if (training.layerDecay < 1) args["layer_decay"] = training.layerDecay;
  args["clip_grad"] = unlessNone(training.clipGradient);
  args["clip_mode"] = "norm";
  args["model_ema"] = training.emaDecay > 0;
  args["model_ema_decay"] = training.emaDecay;
}

/// An exponential schedule is timm's `step` with an epoch between two decays. timm has no inverse
/// square root.
void addSchedule(Json& args, const TrainingConfig& training) {
  args["epochs"] = training.epochs;
  args["sched"] = training.schedule == "exponential" ? "step"
                  : training.schedule == "constant" || training.schedule == "inverse_sqrt"
                      ? "none"
                      : training.schedule;
  args["sched_on_updates"] = true;
  args["lr"] = peakLearningRate(training);
  args["min_lr"] = training.minLearningRate;
  args["warmup_lr"] = training.warmupLearningRate;
  args["warmup_epochs"] = training.warmupEpochs;
  args["warmup_prefix"] = false;
  args["cooldown_epochs"] = 0;
  args["decay_rate"] = training.schedule == "poly" ? 0.9 : training.decayRate;  // there the power
  args["decay_epochs"] = training.schedule == "exponential" ? 1.0 : training.decayEpochs;
}

/// timm's batch_size is that of a part, of which a step takes grad_accum_steps.
void addBatches(Json& args, const TrainingConfig& training) {
  const bool even = training.batchSize % training.accumulate == 0;
  const std::int64_t parts = even ? training.accumulate : 1;
  args["batch_size"] = training.batchSize / parts;
  args["grad_accum_steps"] = parts;
  args["validation_batch_size"] = training.batchSize;
  args["grad_checkpointing"] = training.checkpointBlocks;
  args["initial_checkpoint"] = training.weights;
  args["pretrained"] = false;
}

void addLoss(Json& args, const TrainingConfig& training) {
  args["smoothing"] = training.labelSmoothing;
  args["mixup"] = training.mixupAlpha;
  args["cutmix"] = training.cutmixAlpha;
  args["cutmix_minmax"] = Json();
  args["mixup_prob"] = 1.0;
  args["mixup_switch_prob"] = 0.5;
  args["mixup_mode"] = "batch";
  args["mixup_off_epoch"] = 0;
  args["bce_loss"] = false;
}

}  // namespace

Json timmArgs(const Experiment& experiment) {
  Json args = {{"experiment", experiment.name},
               {"seed", experiment.seed},
               {"eval_metric", "top1"},
               {"log_interval", experiment.telemetry.metricsSteps},
               {"amp", experiment.training.precision != "float32"}};
  if (experiment.training.precision != "float32") args["amp_dtype"] = experiment.training.precision;
  addModel(args, experiment.model);
  addData(args, experiment.data, experiment.model);
  addOptimizer(args, experiment.training);
  addSchedule(args, experiment.training);
  addBatches(args, experiment.training);
  addLoss(args, experiment.training);
  return args;
}

Result<void> writeTimmArgs(const OpenFolder& folder, const Experiment& experiment) {
  return folder.write(kTimmArgs, yamlText(timmArgs(experiment)));
}

}  // namespace headlight
