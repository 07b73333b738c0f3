// SPDX-License-Identifier: GPL-3.0-or-later

// Blocks computed again in the backward pass: the same weights, bit for bit, whatever is drawn.

#include "core/models/backbones/Recomputation.h"

#include <gtest/gtest.h>

#include <ATen/Functions.h>
#include <torch/csrc/autograd/function.h>

#include <filesystem>
#include <set>
#include <stdexcept>

#include "core/training/step/StepRunner.h"
#include "tests/models/Pairings.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

TrainingConfig training() {
  TrainingConfig config;
  config.accumulate = 2;
  config.mixupAlpha = 0.8;
  config.epochs = 2;
  config.warmupEpochs = 0;
  config.learningRate = 1e-2;
  return config;
}

NamedTensors trained(ModelConfig config, bool recomputing) {
  config.dropPath = 0.3;
  const auto model = makeModel(config, 3);
  model->setRecomputing(recomputing);
  model->train();
  StepRunner runner(model, at::kCPU, training(), 5, 1);
  for (std::int64_t step = 0; step < 2; ++step) {
    seedTorch(static_cast<std::uint64_t>(step));
    Batch batch;
    batch.images = at::randn({4, 3, config.imageHeightPixels(), config.imageWidthPixels()});
    batch.labels = at::randint(config.classes, {4}, at::kLong);
    runner.run(batch, step);
  }
  return model->trainable();
}

TEST(Recomputation, ChangesNothingForAnyMechanism) {
  int compared = 0;
  for (const auto& [name, config] : pairings()) {
    if (!canRecompute(*makeModel(config, 3))) continue;
    SCOPED_TRACE(name);
    ++compared;
    const NamedTensors plain = trained(config, false), again = trained(config, true);
    ASSERT_EQ(again.size(), plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i)
      EXPECT_TRUE(at::equal(again[i].second, plain[i].second)) << plain[i].first;
  }
  EXPECT_GT(compared, 20);
}

TEST(Recomputation, KeepsOnlyWhatGoesIntoABlock) {
  const ModelConfig config = tinyExperiment().model;
  const auto model = makeModel(config, 3);
  const at::Tensor images = at::randn({2, 3, 16, 16});
  const auto nodes = [&] {
    std::set<const torch::autograd::Node*> seen;
    const at::Tensor logits = model->forward(images);
    std::vector<const torch::autograd::Node*> open{logits.grad_fn().get()};
    while (!open.empty()) {
      const auto* node = open.back();
      open.pop_back();
      if (node == nullptr || !seen.insert(node).second) continue;
      for (const auto& edge : node->next_edges())
        open.push_back(edge.function.get());
    }
    return seen.size();
  };
  model->train();
  const std::size_t whole = nodes();
  model->setRecomputing(true);
  EXPECT_LT(nodes(), whole / 2);
  model->eval();
  EXPECT_GT(nodes(), whole / 2) << "in training alone";
}

ModelConfig levit() {
  for (const auto& [name, config] : pairings())
    if (config.backbone == "levit") return config;
  throw std::logic_error("there is no levit");
}

TEST(Recomputation, RefusesBatchNorms) {
  const auto model = makeModel(levit(), 3);
  EXPECT_THROW(model->setRecomputing(true), Failure);
  EXPECT_NO_THROW(model->setRecomputing(false));
}

TEST(Recomputation, ARefusedRunLeavesNoFolder) {
  const TemporaryFolder temporary;
  Experiment experiment = tinyExperiment();
  experiment.model = levit();
  experiment.masks = {};
  experiment.training.checkpointBlocks = true;
  const auto refused = TrainingSession::begin(experiment, temporary.path() / "run");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text().find("training.checkpoint_blocks"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(temporary.path() / "run"));
  experiment.training.checkpointBlocks = false;
  EXPECT_TRUE(TrainingSession::begin(experiment, temporary.path() / "run").ok());
}

TEST(Recomputation, ARunRecomputesWhereItsConfigSaysSo) {
  const TemporaryFolder temporary;
  Experiment experiment = tinyExperiment();
  runToEnd(*begin(experiment, temporary.path() / "plain"));
  experiment.training.checkpointBlocks = true;
  runToEnd(*begin(experiment, temporary.path() / "again"));
  expectSame(lastTensors(temporary.path() / "plain"), lastTensors(temporary.path() / "again"));
}

}  // namespace
}  // namespace headlight
