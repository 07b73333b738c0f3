// SPDX-License-Identifier: GPL-3.0-or-later

// Measuring and recording the heads between two steps changes nothing of what any mechanism learns.

#include <gtest/gtest.h>

#include "core/base/Random.h"
#include "core/training/Telemetry.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/session/Images.h"
#include "tests/models/Pairings.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

HeadProbe probeFor(const ModelConfig& config) {
  DatasetSpec spec;
  spec.imageSize = config.imageSize;
  spec.validationSamples = 9;
  const auto images = valueOrThrow(openDataset(spec, Split::Validation));
  return {*images, 3, makePreprocessing(config), 5, at::kCPU};
}

Batch noiseFor(const ModelConfig& config) {
  seedTorch(11);
  Batch batch;
  batch.images = at::randn({4, 3, config.imageHeightPixels(), config.imageWidthPixels()});
  batch.labels = at::randint(config.classes, {4}, at::kLong);
  return batch;
}

/// Weights, buffers and moments after two steps, the heads measured before each of them or not.
std::map<std::string, at::Tensor> learned(const ModelConfig& config, const HeadProbe* probe) {
  TrainingConfig training;
  training.epochs = 1;
  training.warmupEpochs = 0;
  const auto model = makeModel(config, 3);
  model->train();
  StepRunner runner(model, at::kCPU, training, 5, 2);
  const Batch batch = noiseFor(config);
  for (std::int64_t step = 0; step < 2; ++step) {
    runner.announce(step);
    if (probe) {
      MapRecorder maps(*model, 2);
      EXPECT_FALSE(probe->measure(*model, step, &maps).locality.empty());
      EXPECT_NO_THROW(maps.point());
    }
    runner.run(batch, step);
  }
  std::map<std::string, at::Tensor> all;
  for (const auto& [name, tensor] : model->state())
    all.emplace(name, tensor.detach().clone());
  for (const auto& [name, tensor] : runner.optimizer().state())
    all.emplace("optimizer." + name, tensor.clone());
  return all;
}

TEST(Telemetry, LeavesWhatEveryMechanismLearnsAsItIs) {
  int compared = 0;
  for (const auto& [name, given] : pairings()) {
    SCOPED_TRACE(name);
    ModelConfig config = given;
    config.dropPath = 0.3;
    const HeadProbe probe = probeFor(config);
    expectSame(learned(config, &probe), learned(config, nullptr));
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace headlight
