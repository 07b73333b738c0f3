// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/TrainingLoaders.h"

#include <cmath>

#include "core/base/Random.h"
#include "core/training/Evaluation.h"

namespace headlight {
namespace {

constexpr std::uint64_t kLoaderPurpose = 0x6c6f6164ULL;  // "load"

AugmentOptions augmentOptions(const DataConfig& data) {
  AugmentOptions options;
  options.enabled = data.augment;
  options.minScale = data.minScale;
  options.minRatio = data.minRatio;
  options.flipProbability = data.flip;
  options.colorJitter = data.colorJitter;
  if (!data.randAugment.empty())
    options.randAugment = valueOrThrow(randAugmentFromText(data.randAugment));
  options.randomInterpolation = data.interpolation == "random";
  options.jpegScaling = data.jpegScaling;
  options.boxCrop = data.boxCrop;
  options.multiScale = data.multiScale;
  options.segmentScales = data.segmentScales;
  return options;
}

ErasingOptions erasingOptions(const DataConfig& data) {
  ErasingOptions options;
  options.probability = data.erasing;
  options.mode = data.erasingMode == "const"  ? ErasingMode::Constant
                 : data.erasingMode == "rand" ? ErasingMode::Color
                                              : ErasingMode::Pixel;
  options.count = data.erasingCount;
  return options;
}

}  // namespace

std::unique_ptr<Loader> trainingLoader(const TrainerParts& parts) {
  const DataConfig& data = parts.experiment.data;
  LoaderOptions options;
  options.batchSize = parts.experiment.training.batchSize;
  options.threads = data.loaderThreads;
  options.seed = streamKey({static_cast<std::uint64_t>(parts.experiment.seed), kLoaderPurpose});
  options.repeats = data.repeats;
  options.shuffleBuffer = data.shuffleBuffer;
  options.augment = augmentOptions(data);
  options.erasing = erasingOptions(data);
  // Augmented images have one size, and what is not augmented must have one too in a batch.
  options.preprocessing = data.augment ? parts.preprocessing : ofOneSize(parts.preprocessing);
  takePart(options, parts.processes.get());
  return std::make_unique<Loader>(parts.train, options);
}

std::unique_ptr<Loader> validationLoader(const TrainerParts& parts) {
  return evaluationLoader(parts.validation, parts.preprocessing,
                          parts.experiment.training.batchSize, parts.experiment.data.loaderThreads,
                          parts.processes.get());
}

}  // namespace headlight
