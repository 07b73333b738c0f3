// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/TrainingConfig.h"

#include "core/config/DatasetKinds.h"
#include "core/config/FreezeText.h"
#include "core/config/RandAugmentText.h"

namespace headlight {
namespace {

Result<void> checkRandAugment(const std::string& text) {
  if (text.empty()) return {};
  const auto spec = randAugmentFromText(text);
  return spec ? Result<void>() : spec.error();
}

Result<void> checkFreeze(const std::string& text) {
  const auto rule = freezeFromText(text);
  return rule ? Result<void>() : rule.error();
}

Result<void> checkAdapterLayers(const std::string& text) {
  const auto layers = adapterLayersFromText(text);
  return layers ? Result<void>() : layers.error();
}

}  // namespace

const ParameterTable& dataParameters() {
  using D = DataConfig;
  static const ParameterTable table =
      TableBuilder<D>()
          .choice(&D::dataset, "dataset", datasetKindNames(),
                  "Dataset kind: " + datasetKindsText() + ".")
          .text(&D::path, "path",
                "Dataset folder; for webdataset also a pattern such as train-{000..146}.tar, for "
                "coco also an annotations file. Unused by what is drawn (texture-…).")
          .number(&D::validationFraction, "validation_fraction", 0.001, 0.9,
                  "Share used for validation if the folder has no validation split.")
          .number(&D::fraction, "fraction", 1e-6, 1,
                  "Share of each training class that is used, at least one image. A smaller share "
                  "is a subset of a larger one.")
          .integer(&D::maxSamples, "max_samples", 0, 1e12,
                   "Use at most this many images of the training split; 0: all.")
          .integer(&D::trainSamples, "train_samples", 2, 1e9,
                   "Data that is drawn (texture-…): images in the training split.")
          .integer(&D::validationSamples, "validation_samples", 2, 1e9,
                   "Data that is drawn (texture-…): images in the validation split.")
          .integer(&D::drawnClasses, "drawn_classes", 2, 9,
                   "Data that is drawn (texture-…): it shows the first so many of the nine "
                   "texture-shapes. Fewer are learned sooner.")
          .integer(&D::loaderThreads, "loader_threads", 0, 64,
                   "Threads that prepare batches ahead; 0: none.")
          .boolean(&D::augment, "augment",
                   "Use random crops, flips, colors, RandAugment and erasing in training.")
          .number(&D::minScale, "min_scale", 0.01, 1, "Random crop: smallest share of the area.")
          .number(&D::minRatio, "min_ratio", 0.1, 1, "Random crop: smallest aspect ratio.")
          .number(&D::flip, "flip", 0, 1, "Probability of a horizontal flip.")
          .number(&D::colorJitter, "color_jitter", 0, 1,
                  "Strength of brightness, contrast and saturation changes, with boxes also of "
                  "the hue (PicoDet: 0.5); unused with RandAugment, as in timm.")
          .spelled(&D::randAugment, "rand_augment", checkRandAugment,
                   "RandAugment in timm's notation (DeiT: rand-m9-mstd0.5-inc1); empty: none.")
          .number(&D::erasing, "erasing", 0, 1,
                  "Probability of random erasing per training image (DeiT: 0.25); 0: none.")
          .choice(&D::erasingMode, "erasing_mode", {"const", "rand", "pixel"},
                  "Random erasing: fill with the mean color, one random color, or noise.")
          .integer(&D::erasingCount, "erasing_count", 1, 100,
                   "Random erasing: maximum number of boxes per image; they share the area.")
          .choice(&D::interpolation, "interpolation", {"model", "random"},
                  "Interpolation of training crops: the model's, or bilinear or bicubic at random.")
          .integer(&D::repeats, "repeats", 1, 100,
                   "Repeated augmentation: versions of each image in an epoch of the same length "
                   "(DeiT: 3); 1: none.")
          .integer(&D::shuffleBuffer, "shuffle_buffer", 1, 1e9,
                   "webdataset: size of the shuffle buffer in images. Shards are read in a random "
                   "order, each from its beginning.")
          .boolean(&D::jpegScaling, "jpeg_scaling",
                   "Decode training crops at 1/2, 1/4 or 1/8 for JPEGs at least four times as "
                   "large as the model's input: faster, nearly the same pixels.")
          .boolean(&D::boxCrop, "box_crop",
                   "Only for data with boxes: random crops that keep objects in sight (SSD), in "
                   "place of min_scale and min_ratio.")
          .boolean(&D::multiScale, "multi_scale",
                   "Only for data with boxes: train each batch at a random side from 0.8 to 1.2 "
                   "times the model's, in steps of 32 pixels.")
          .boolean(&D::segmentScales, "segment_scales",
                   "Only for data with a class for every pixel: resize the short side to 0.5 to 2 "
                   "times the model's before the crop, at random; off: to the model's.")
          .text(&D::teacherLogits, "teacher_logits",
                "Distillation without a teacher model: file of its logits or features, one row "
                "per training image, written by headlight_maps.save_teacher in Python.")
          .build();
  return table;
}

const ParameterTable& trainingParameters() {
  using T = TrainingConfig;
  static const ParameterTable table =
      TableBuilder<T>()
          .integer(&T::epochs, "epochs", 1, 1e6, "Passes over the training split.")
          .integer(&T::batchSize, "batch_size", 1, 65536, "Images per step (batch size).")
          .integer(&T::accumulate, "accumulate", 1, 65536,
                   "Gradient accumulation: number of parts of each batch, computed one after the "
                   "other. Less memory, the same gradient.")
          .boolean(&T::checkpointBlocks, "checkpoint_blocks",
                   "Activation checkpointing: recompute every block in the backward pass. Less "
                   "memory, the same numbers, about half as much time again.")
          .choice(
              &T::precision, "precision", {"float32", "bfloat16", "float16"},
              "Precision of linear layers, convolutions and attention products: bfloat16 on CUDA "
              "and on supporting processors, float16 only on CUDA. Weights and sums stay float32.")
          .choice(&T::optimizer, "optimizer", {"adamw", "sgd"},
                  "AdamW, or stochastic gradient descent with momentum.")
          .choice(&T::schedule, "schedule",
                  {"cosine", "poly", "exponential", "step", "constant", "inverse_sqrt"},
                  "Schedule after the warm-up: cosine or poly (power 0.9) to min_learning_rate; "
                  "exponential or step, a factor of decay_rate every epoch or every decay_epochs; "
                  "constant; or inverse_sqrt, divided by the root of the step over the warm-up's "
                  "steps.")
          .number(&T::learningRate, "learning_rate", 0, 10, "Peak learning rate.")
          .integer(&T::learningRatePer, "learning_rate_per", 0, 1e6,
                   "Batch size that learning_rate refers to, such as 512; the rate is scaled to "
                   "batch_size. 0: no scaling.")
          .number(&T::decayRate, "decay_rate", 1e-6, 1,
                  "Exponential and step schedules: factor of each decay, never below "
                  "min_learning_rate.")
          .number(&T::decayEpochs, "decay_epochs", 0.001, 1e6,
                  "Step schedule: epochs between decays.")
          .number(&T::backboneRate, "backbone_rate", 0, 100,
                  "Factor of the learning rate of a detector's or segmenter's backbone.")
          .integer(&T::maskPoints, "mask_points", 16, 1e6,
                   "For a segmenter: masks are matched and compared at so many random points, at "
                   "most as many as the image has pixels. Fewer make steps of small models faster.")
          .number(&T::minLearningRate, "min_learning_rate", 0, 10,
                  "Learning rate at the end of cosine and poly; the minimum of the other "
                  "schedules.")
          .number(&T::warmupLearningRate, "warmup_learning_rate", 0, 10,
                  "Learning rate of the first step.")
          .number(&T::warmupEpochs, "warmup_epochs", 0, 1e6, "Epochs of linear warm-up.")
          .number(&T::weightDecay, "weight_decay", 0, 10,
                  "Weight decay: decoupled for AdamW, added to the gradient for SGD. Biases, "
                  "norms, tokens and position embeddings have none.")
          .boolean(&T::decayMasks, "decay_masks",
                   "Apply weight decay also to learned masks, scales and logits (learned_mask, "
                   "lsla, synthesizer), as in runs recorded before this option.")
          .boolean(&T::decayVectors, "decay_vectors",
                   "Apply weight decay also to biases and layer norms; batch norms, tokens and "
                   "positions have none (PicoDet).")
          .number(&T::momentum, "momentum", 0, 0.999999, "SGD: momentum.")
          .boolean(&T::nesterov, "nesterov", "SGD: Nesterov momentum.")
          .number(&T::beta1, "beta1", 0, 0.999999, "AdamW: decay of the first moment.")
          .number(&T::beta2, "beta2", 0, 0.999999, "AdamW: decay of the second moment.")
          .number(&T::epsilon, "epsilon", 1e-16, 1, "AdamW: added to the denominator.")
          .number(&T::labelSmoothing, "label_smoothing", 0, 0.99,
                  "Label smoothing of image classes; boxes are learned without it.")
          .number(&T::mixupAlpha, "mixup_alpha", 0, 100,
                  "Mixup: alpha a of the Beta(a, a) distribution of image shares; 0: none.")
          .number(&T::cutmixAlpha, "cutmix_alpha", 0, 100,
                  "CutMix: alpha a of the Beta(a, a) distribution of area shares; 0: none. If "
                  "Mixup is also on, each batch uses one of them.")
          .number(&T::clipGradient, "clip_gradient", 0, 1e6,
                  "Clip the global gradient norm to this value; 0: no clipping.")
          .number(&T::emaDecay, "ema_decay", 0, 0.999999,
                  "Decay of the moving average of the weights; 0: none.")
          .boolean(&T::emaWarmup, "ema_warmup",
                   "Moving average: in step t decay by at most (1 + t) / (10 + t), so that it "
                   "follows the first weights fast.")
          .integer(&T::emaRestart, "ema_restart", 0, 1e6,
                   "Moving average: begin anew from the weights every so many epochs, and with it "
                   "ema_warmup (PicoDet: 40); 0: never.")
          .text(&T::weights, "weights",
                "Checkpoint to start from; empty: from scratch. FILE[NAME] takes one of several "
                "models in it.")
          .boolean(&T::keepClasses, "keep_classes",
                   "Starting weights of other classes: the new head keeps their rows for classes "
                   "of the same names; off: it is all new.")
          .spelled(&T::freeze, "freeze", checkFreeze,
                   "Parameters to leave unchanged: \"all but the head\", \"first 8 blocks\" (with "
                   "the embeddings), \"all but norms and biases\", or names such as "
                   "blocks.*.attn; empty: none, with an adapter all but the head; \"nothing\": "
                   "none.")
          .number(&T::layerDecay, "layer_decay", 0.01, 1,
                  "Layer-wise learning rate decay: factor of the rate from each layer to the one "
                  "before it, in timm's groups (BEiT: 0.65); 1: none.")
          .choice(&T::adapter, "adapter", {"none", "lora", "bottleneck"},
                  "Train small additions to a frozen model: low-rank matrices beside linear "
                  "layers (LoRA), or a bottleneck beside every MLP (AdaptFormer).")
          .integer(&T::adapterRank, "adapter_rank", 1, 4096,
                   "Adapter: rank of LoRA, or hidden width of the bottleneck (AdaptFormer: 64).")
          .number(&T::adapterAlpha, "adapter_alpha", 0.001, 10000,
                  "LoRA: alpha; the product of its matrices counts alpha / rank times.")
          .number(&T::adapterScale, "adapter_scale", 0.0001, 100,
                  "Bottleneck: factor of its output.")
          .number(&T::adapterDropout, "adapter_dropout", 0, 0.9,
                  "Adapter: dropout of LoRA's input, or of the bottleneck's hidden features.")
          .spelled(&T::adapterLayers, "adapter_layers", checkAdapterLayers,
                   "LoRA: layers that get it: some of q, k, v, proj and mlp, with commas.")
          .number(&T::headEpochs, "head_epochs", 0, 1e6,
                  "Epochs at the beginning in which the head alone is trained.")
          .boolean(&T::resetAlpha, "reset_alpha",
                   "Reset soft masks to their initial α, even if the starting weights learned "
                   "another α.")
          .choice(&T::distillation, "distillation", {"none", "soft", "hard", "features"},
                  "Distillation from a teacher: soft uses its probabilities, hard its decisions, "
                  "features the features in a file (data.teacher_logits).")
          .text(&T::teacher, "teacher",
                "Distillation: the teacher: a published name, a config, or a checkpoint that "
                "contains its model.")
          .text(&T::teacherWeights, "teacher_weights",
                "Distillation: the teacher's checkpoint; empty: the weights of teacher.")
          .number(&T::distillationAlpha, "distillation_alpha", 0, 1,
                  "Distillation: the teacher's share of the loss; the rest is from the labels.")
          .number(&T::distillationTemperature, "distillation_temperature", 0.01, 1000,
                  "Soft distillation: temperature; unused by hard distillation.")
          .integer(&T::checkpointSteps, "checkpoint_steps", 1, 1e9,
                   "Write the last checkpoint at least every this many steps.")
          .integer(&T::keepEvery, "keep_every", 0, 1e6,
                   "Epochs between permanent checkpoints; 0: only last and best.")
          .number(&T::timeout, "timeout", 1, 1e6,
                  "Several processes: seconds to wait for the others before the run ends.")
          .build();
  return table;
}

const ParameterTable& telemetryParameters() {
  using T = TelemetryConfig;
  static const ParameterTable table =
      TableBuilder<T>()
          .integer(&T::alsSteps, "als_steps", 0, 1e9,
                   "Steps between measurements of the locality scores; 0: never.")
          .integer(&T::probeImages, "probe_images", 1, 1024,
                   "Number of validation images for the locality scores.")
          .integer(&T::metricsSteps, "metrics_steps", 1, 1e9,
                   "Steps between lines of metrics.jsonl.")
          .boolean(&T::tensorboard, "tensorboard",
                   "Also write a TensorBoard event file: curves, histograms of the locality "
                   "scores, attention images.")
          .number(&T::evolutionMegabytes, "evolution_mb", 0, 1e6,
                  "Maximum size of evolution.bin in MB; it stores the maps of a few validation "
                  "images at every measurement. 0: none.")
          .build();
  return table;
}

}  // namespace headlight
