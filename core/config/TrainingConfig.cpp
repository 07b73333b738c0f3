// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/TrainingConfig.h"

#include "core/config/DatasetKinds.h"
#include "core/config/RandAugmentText.h"

namespace headlight {
namespace {

Result<void> checkRandAugment(const std::string& text) {
  if (text.empty()) return {};
  const auto spec = randAugmentFromText(text);
  return spec ? Result<void>() : spec.error();
}

}  // namespace

const ParameterTable& dataParameters() {
  using D = DataConfig;
  static const ParameterTable table =
      TableBuilder<D>()
          .choice(&D::dataset, "dataset", datasetKindNames(),
                  "Kind of dataset: " + datasetKindsText() + ".")
          .text(&D::path, "path",
                "Folder of the dataset; of webdataset also a pattern, as train-{000..146}.tar. "
                "Unused by texture-shape.")
          .number(&D::validationFraction, "validation_fraction", 0.001, 0.9,
                  "Share taken for validation where the folder has no such split.")
          .number(&D::fraction, "fraction", 1e-6, 1,
                  "Share of every class of the training split that is used, at least one image; a "
                  "smaller share's images are among a larger one's.")
          .integer(&D::maxSamples, "max_samples", 0, 1e12,
                   "Use at most so many images of the training split; 0 means all.")
          .integer(&D::trainSamples, "train_samples", 2, 1e9,
                   "texture-shape: images in the training split.")
          .integer(&D::validationSamples, "validation_samples", 2, 1e9,
                   "texture-shape: images in the validation split.")
          .integer(&D::loaderThreads, "loader_threads", 0, 64,
                   "Threads that prepare batches ahead; 0 means none.")
          .boolean(&D::augment, "augment",
                   "Random crops, flips, colours, RandAugment and erasing in training; off: none.")
          .number(&D::minScale, "min_scale", 0.01, 1, "Random crop: least share of the area.")
          .number(&D::minRatio, "min_ratio", 0.1, 1, "Random crop: least aspect ratio.")
          .number(&D::flip, "flip", 0, 1, "Probability of a horizontal flip.")
          .number(&D::colorJitter, "color_jitter", 0, 1,
                  "Strength of brightness, contrast and saturation changes; as in timm unused "
                  "with RandAugment.")
          .spelled(&D::randAugment, "rand_augment", checkRandAugment,
                   "RandAugment as timm spells it (DeiT: rand-m9-mstd0.5-inc1); empty means none.")
          .number(&D::erasing, "erasing", 0, 1,
                  "Probability of random erasing in a training image (DeiT: 0.25); 0 means none.")
          .choice(&D::erasingMode, "erasing_mode", {"const", "rand", "pixel"},
                  "Random erasing: a box of the mean colour, of one random colour, or of noise.")
          .integer(&D::erasingCount, "erasing_count", 1, 100,
                   "Random erasing: boxes in an image, at most; they share the area.")
          .choice(
              &D::interpolation, "interpolation", {"model", "random"},
              "Resizing of training crops: as the model says, or bilinear or bicubic at random.")
          .integer(&D::repeats, "repeats", 1, 100,
                   "Repeated augmentation: versions of an image in an epoch of the same length "
                   "(DeiT: 3); 1 means none.")
          .integer(&D::shuffleBuffer, "shuffle_buffer", 1, 1e9,
                   "webdataset: images that are shuffled among each other; the shards are read in "
                   "a random order, each from its beginning.")
          .boolean(&D::jpegScaling, "jpeg_scaling",
                   "Training crops of JPEGs that are at least four times as large as the model's "
                   "images are decoded at 1/2, 1/4 or 1/8: faster, nearly the same pixels.")
          .build();
  return table;
}

const ParameterTable& trainingParameters() {
  using T = TrainingConfig;
  static const ParameterTable table =
      TableBuilder<T>()
          .integer(&T::epochs, "epochs", 1, 1e6, "Passes over the training split.")
          .integer(&T::batchSize, "batch_size", 1, 65536, "Images per step.")
          .integer(
              &T::accumulate, "accumulate", 1, 65536,
              "Parts that a step's batch is computed in, one after the other: less memory, the "
              "same gradient.")
          .boolean(&T::checkpointBlocks, "checkpoint_blocks",
                   "Compute every block again in the backward pass instead of keeping what it "
                   "computed: less memory, the same numbers, about half as much time again.")
          .choice(
              &T::precision, "precision", {"float32", "bfloat16", "float16"},
              "Of linear layers, convolutions and products of attention: bfloat16 on CUDA and on "
              "processors that have it, float16 on CUDA alone; weights and sums stay float32.")
          .choice(&T::optimizer, "optimizer", {"adamw", "sgd"},
                  "AdamW, or stochastic gradient descent with momentum.")
          .choice(&T::schedule, "schedule", {"cosine", "exponential", "step", "constant"},
                  "Learning rate after the warm-up: a cosine to min_learning_rate, a factor of "
                  "decay_rate every epoch or every decay_epochs, or the peak.")
          .number(&T::learningRate, "learning_rate", 0, 10, "Peak learning rate.")
          .integer(&T::learningRatePer, "learning_rate_per", 0, 1e6,
                   "Images of a batch that learning_rate is given for, as 512: it is scaled to "
                   "batch_size; 0 means as it is.")
          .number(&T::decayRate, "decay_rate", 1e-6, 1,
                  "Exponential and step schedules: factor of each decay, never below "
                  "min_learning_rate.")
          .number(&T::decayEpochs, "decay_epochs", 0.001, 1e6,
                  "Step schedule: epochs between two decays.")
          .number(&T::minLearningRate, "min_learning_rate", 0, 10,
                  "Learning rate at the end of the cosine; the least of the other schedules.")
          .number(&T::warmupLearningRate, "warmup_learning_rate", 0, 10,
                  "Learning rate of the first step.")
          .number(&T::warmupEpochs, "warmup_epochs", 0, 1e6, "Epochs of linear warm-up.")
          .number(&T::weightDecay, "weight_decay", 0, 10,
                  "Weight decay, AdamW's or the gradient's share of SGD; biases, norms, tokens "
                  "and position embeddings have none.")
          .boolean(
              &T::decayMasks, "decay_masks",
              "Weight decay acts on learned masks and learned scales too (learned_mask, lsla), "
              "as in runs recorded before this could be chosen.")
          .number(&T::momentum, "momentum", 0, 0.999999, "SGD: share of the last step's direction.")
          .boolean(&T::nesterov, "nesterov", "SGD: looks ahead by its momentum (Nesterov).")
          .number(&T::beta1, "beta1", 0, 0.999999, "AdamW: decay of the first moment.")
          .number(&T::beta2, "beta2", 0, 0.999999, "AdamW: decay of the second moment.")
          .number(&T::epsilon, "epsilon", 1e-16, 1, "AdamW: added to the denominator.")
          .number(&T::labelSmoothing, "label_smoothing", 0, 0.99, "Label smoothing.")
          .number(&T::mixupAlpha, "mixup_alpha", 0, 100,
                  "Mixup: shares of the two images are drawn from Beta(a, a); 0 means none.")
          .number(&T::cutmixAlpha, "cutmix_alpha", 0, 100,
                  "CutMix: shares are drawn from Beta(a, a); 0 means none. With Mixup too each "
                  "batch takes one of them.")
          .number(&T::clipGradient, "clip_gradient", 0, 1e6,
                  "Greatest global gradient norm; 0 means no clipping.")
          .number(&T::emaDecay, "ema_decay", 0, 0.999999,
                  "Decay of the moving average of the weights; 0 means none.")
          .text(&T::weights, "weights", "Checkpoint to start from; empty means from scratch.")
          .boolean(&T::resetAlpha, "reset_alpha",
                   "Soft masks begin at their α again, whatever α the starting weights learned.")
          .choice(&T::distillation, "distillation", {"none", "soft", "hard"},
                  "Learn from a teacher too: soft from its probabilities, hard from its decisions.")
          .text(&T::teacher, "teacher",
                "Distillation: a published name, a config, or a checkpoint that carries its model.")
          .text(&T::teacherWeights, "teacher_weights",
                "Distillation: the teacher's checkpoint; empty means as teacher says.")
          .number(&T::distillationAlpha, "distillation_alpha", 0, 1,
                  "Distillation: the teacher's share of the loss; the labels have the rest.")
          .number(&T::distillationTemperature, "distillation_temperature", 0.01, 1000,
                  "Soft distillation: what logits are divided by; hard distillation has none.")
          .integer(&T::checkpointSteps, "checkpoint_steps", 1, 1e9,
                   "The last checkpoint is written at least every so many steps.")
          .integer(&T::keepEvery, "keep_every", 0, 1e6,
                   "Epochs between checkpoints that are kept; 0 means only last and best.")
          .number(&T::timeout, "timeout", 1, 1e6,
                  "Several processes: seconds that one waits for the others before the run ends.")
          .build();
  return table;
}

const ParameterTable& telemetryParameters() {
  using T = TelemetryConfig;
  static const ParameterTable table =
      TableBuilder<T>()
          .integer(&T::alsSteps, "als_steps", 0, 1e9,
                   "Steps between measurements of the locality scores; 0 means never.")
          .integer(&T::probeImages, "probe_images", 1, 1024,
                   "Validation images that locality scores are averaged over.")
          .integer(&T::metricsSteps, "metrics_steps", 1, 1e9,
                   "Steps between lines of metrics.jsonl.")
          .boolean(&T::tensorboard, "tensorboard",
                   "Write an event file for TensorBoard too: curves, histograms of the locality "
                   "scores, pictures of attention.")
          .number(&T::evolutionMegabytes, "evolution_mb", 0, 1e6,
                  "Greatest size of evolution.bin, which keeps the maps of a few validation images "
                  "at every measurement, in MB; 0 keeps none.")
          .build();
  return table;
}

}  // namespace headlight
