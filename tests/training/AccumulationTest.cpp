// SPDX-License-Identifier: GPL-3.0-or-later

// A batch computed in parts: the same step but for rounding, whatever is drawn in it.

#include <gtest/gtest.h>

#include "tests/models/Pairings.h"
#include "tests/training/SharedSteps.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

constexpr std::int64_t kImages = 8;
constexpr std::int64_t kSteps = 3;

TrainingConfig trainingIn(std::int64_t parts) {
  TrainingConfig config = sharedTraining(kSteps, 1e-2);
  config.accumulate = parts;
  return config;
}

NamedTensors trainedIn(std::int64_t parts, const ModelConfig& config) {
  const auto model = sharedModel(config);
  StepRunner runner(model, at::kCPU, trainingIn(parts), 5, 1);
  for (std::int64_t step = 0; step < kSteps; ++step)
    runner.run(sharedBatch(config, kImages, step), step);
  return model->trainable();
}

/// A batch norm sees the part, not the batch.
bool hasBatchNorm(const Model& model) {
  for (const auto& buffer : model.named_buffers())
    if (buffer.key().find("running_mean") != std::string::npos) return true;
  return false;
}

/// 3 (uneven) and 8 parts, with drop path, Mixup and CutMix.
TEST(Accumulation, ChangesNothingButRoundingForEveryMechanism) {
  int compared = 0;
  for (const auto& [name, config] : pairings()) {
    if (hasBatchNorm(*makeModel(config, 3))) continue;
    SCOPED_TRACE(name);
    ++compared;
    const NamedTensors whole = trainedIn(1, config);
    for (const std::int64_t parts : {3, 8}) {
      const NamedTensors found = trainedIn(parts, config);
      ASSERT_EQ(found.size(), whole.size());
      for (std::size_t i = 0; i < whole.size(); ++i)
        EXPECT_LT((found[i].second - whole[i].second).abs().max().item<double>(), 1e-9)
            << parts << " parts, " << whole[i].first;
    }
  }
  EXPECT_GT(compared, 20);
}

TEST(Accumulation, TellsTheLossesOfTheWhole) {
  const auto reported = [](std::int64_t parts) {
    const ModelConfig config = tinyExperiment().model;
    return StepRunner(sharedModel(config), at::kCPU, trainingIn(parts), 5, 1)
        .run(sharedBatch(config, kImages, 2), 2);
  };
  const StepResult whole = reported(1), parts = reported(3);
  EXPECT_NEAR(parts.loss, whole.loss, 1e-12);
  EXPECT_NEAR(parts.gradientNorm, whole.gradientNorm, 1e-10);
}

}  // namespace
}  // namespace headlight
