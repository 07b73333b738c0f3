// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What must come out the same, but for rounding, however the images of a step are shared out: a
// model in double precision, and all that is drawn in a step switched on.

#include <ATen/Functions.h>

#include <memory>

#include "core/base/Random.h"
#include "core/config/TrainingConfig.h"
#include "core/models/backbones/Model.h"
#include "core/training/step/StepRunner.h"

namespace headlight {

/// Mixup, CutMix and the moving average, for so many steps.
inline TrainingConfig sharedTraining(std::int64_t steps, double learningRate) {
  TrainingConfig config;
  config.mixupAlpha = 0.8;
  config.cutmixAlpha = 1;
  config.epochs = steps;
  config.warmupEpochs = 1;
  config.learningRate = learningRate;
  config.emaDecay = 0.5;
  return config;
}

/// Random images, the same ones for a step of that number.
inline Batch sharedBatch(const ModelConfig& config, std::int64_t images, std::int64_t step) {
  seedTorch(static_cast<std::uint64_t>(step));
  Batch batch;
  batch.images =
      at::randn({images, 3, config.imageHeightPixels(), config.imageWidthPixels()}, at::kDouble);
  batch.labels = at::randint(config.classes, {images}, at::kLong);
  return batch;
}

/// With drop path.
inline std::shared_ptr<Model> sharedModel(ModelConfig config) {
  config.dropPath = 0.3;
  const auto model = makeModel(config, 3);
  model->to(at::kDouble);
  model->train();
  return model;
}

}  // namespace headlight
