// SPDX-License-Identifier: GPL-3.0-or-later

// Pre-training of a masked autoencoder: what is dropped does not depend on how a run is computed.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <set>

#include "core/models/Registry.h"
#include "core/models/backbones/MaskedAutoencoder.h"
#include "core/models/pretraining/KeptPatches.h"
#include "core/models/pretraining/PixelPatches.h"
#include "core/training/RebuildEvaluation.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/training/PretrainedStart.h"
#include "tests/models/Pairings.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

constexpr std::int64_t kRebuiltImages = 8, kRebuiltSteps = 3;

TrainingConfig rebuildingIn(std::int64_t parts) {
  TrainingConfig config;
  config.epochs = kRebuiltSteps;
  config.warmupEpochs = 1;
  config.learningRate = 1e-2;
  config.emaDecay = 0.5;
  config.accumulate = parts;
  return config;
}

std::shared_ptr<Model> rebuildingModel(ModelConfig config) {
  config.dropPath = 0.3;
  const auto model = makeModel(config, 3);
  model->to(at::kDouble);
  model->train();
  return model;
}

Batch rebuildingBatch(const ModelConfig& config, std::int64_t step) {
  seedTorch(static_cast<std::uint64_t>(step));
  Batch batch;
  batch.images = at::randn({kRebuiltImages, 3, config.imageSize, config.imageSize}, at::kDouble);
  batch.labels = at::zeros({kRebuiltImages}, at::kLong);
  return batch;
}

NamedTensors rebuiltIn(std::int64_t parts, const ModelConfig& config, bool recomputing = false) {
  const auto model = rebuildingModel(config);
  model->setRecomputing(recomputing);
  StepRunner runner(model, at::kCPU, rebuildingIn(parts), 5, 1);
  for (std::int64_t step = 0; step < kRebuiltSteps; ++step)
    runner.run(rebuildingBatch(config, step), step);
  return model->trainable();
}

void expectNear(const NamedTensors& found, const NamedTensors& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_LE((found[i].second - expected[i].second).abs().max().item<double>(), tolerance)
        << expected[i].first;
}

TEST(Rebuilding, PartsAndRecomputedBlocksChangeNothing) {
  for (const auto& [name, config] : rebuildingPairings()) {
    SCOPED_TRACE(name);
    const NamedTensors whole = rebuiltIn(1, config);
    for (const std::int64_t parts : {3, 8})
      expectNear(rebuiltIn(parts, config), whole, 1e-9);
    expectNear(rebuiltIn(1, config, /*recomputing=*/true), whole, 0);
    expectNear(rebuiltIn(3, config, /*recomputing=*/true), whole, 1e-9);
  }
}

/// Two processes with four rows each, one after the other: their mean is the whole batch.
TEST(Rebuilding, RowsOfTheWholeBatchDropTheSamePatches) {
  const ModelConfig config = rebuildingPairings().front().second;
  const auto lossOf = [&](const Batch& batch) {
    const auto model = rebuildingModel(config);
    return StepRunner(model, at::kCPU, rebuildingIn(1), 5, 1).run(batch, 2);
  };
  const Batch whole = rebuildingBatch(config, 2);
  double sum = 0;
  for (const std::vector<std::int64_t>& rows :
       {std::vector<std::int64_t>{0, 2, 4, 6}, std::vector<std::int64_t>{1, 3, 5, 7}}) {
    Batch part = whole;
    const at::Tensor index = at::tensor(at::ArrayRef<std::int64_t>(rows), at::kLong);
    part.images = whole.images.index_select(0, index);
    part.labels = whole.labels.index_select(0, index);
    part.rows = rows;
    part.whole = kRebuiltImages;
    sum += lossOf(part).loss;  // its share of the whole
  }
  EXPECT_NEAR(sum, lossOf(whole).loss, 1e-12);
}

/// The loss of a step, from what a key says and no more.
TEST(Rebuilding, TheLossOfAStepFollowsFromSeedStepAndRow) {
  const ModelConfig config = rebuildingPairings().front().second;
  const auto model = rebuildingModel(config);
  model->eval();  // no drop path
  const Batch batch = rebuildingBatch(config, 1);
  const std::int64_t patches = config.grid().patches();
  std::vector<std::uint64_t> keys;
  for (std::int64_t row = 0; row < kRebuiltImages; ++row)
    keys.push_back(trainingKey(5, 1, row));
  const at::Tensor kept = keptPatches(patches, keptCount(patches, 0.75), keys);
  const at::Tensor predicted = autoencoderIn(*model).rebuild(batch.images, kept);
  const double expected =
      rebuildLosses(predicted, batch.images, kept, config.patchSize, true).mean().item<double>();
  EXPECT_NEAR(StepRunner(model, at::kCPU, rebuildingIn(1), 5, 1).run(batch, 1).loss, expected,
              1e-12);
}

Experiment rebuildingExperiment() {
  Experiment experiment = tinyExperiment();
  experiment.masks = {};
  ModelConfig& model = experiment.model;
  model.backbone = "mae";
  model.layout = {{"decoder_width", 16}, {"decoder_depth", 1}, {"decoder_heads", 2}};
  model.classes = 0;
  model.positions = "none";
  model = checkedAndCompleted(model);
  return experiment;
}

TEST(Rebuilding, AResumedRunEndsInTheSameWeights) {
  TemporaryFolder folder;
  const Experiment experiment = rebuildingExperiment();
  const auto outcome = runToEnd(*begin(experiment, folder / "whole"));
  EXPECT_EQ(outcome.scoreName, kRebuildName);
  EXPECT_GT(outcome.bestScore, 0);
  const auto expected = lastTensors(folder / "whole");
  EXPECT_TRUE(expected.contains("decoder_pred.weight"));
  EXPECT_TRUE(expected.contains("pos_embed"));
  EXPECT_TRUE(expected.contains("optimizer.first.mask_token"));
  for (const std::int64_t stop : {2, 5, 7}) {
    const auto path = folder / std::to_string(stop);
    ASSERT_TRUE(runUntil(*begin(experiment, path), stop));
    runToEnd(*resume(path));
    expectSame(expected, lastTensors(path));
  }
}

TEST(Rebuilding, LogsTellTheReconstruction) {
  TemporaryFolder folder;
  runToEnd(*begin(rebuildingExperiment(), folder / "run"));
  const auto table = linesOf(folder / "run/metrics.csv");
  ASSERT_GE(table.size(), 2u);
  EXPECT_NE(table.front().find("validation_loss,reconstruction,best"), std::string::npos);
  int epochs = 0;
  double lowest = 1e9;
  for (const std::string& text : linesOf(folder / "run/metrics.jsonl")) {
    const Json line = Json::parse(text);
    if (line["type"] != "epoch") continue;
    ++epochs;
    const double loss = line["validation_loss"];
    EXPECT_NEAR(line["reconstruction"].get<double>(), 1 / (1 + loss), 1e-12);
    EXPECT_EQ(line["best"].get<bool>(), loss < lowest);
    lowest = std::min(lowest, loss);
  }
  EXPECT_EQ(epochs, 2);
}

TEST(Rebuilding, RefusesWhatNeedsClasses) {
  TemporaryFolder folder;
  const auto refusedAt = [&](const std::function<void(Experiment&)>& change) {
    Experiment experiment = rebuildingExperiment();
    change(experiment);
    const auto session = TrainingSession::begin(experiment, folder / "refused");
    return session ? std::string() : session.error().where;
  };
  EXPECT_EQ(refusedAt([](auto& e) { e.training.mixupAlpha = 0.2; }), "training.mixup_alpha");
  EXPECT_EQ(refusedAt([](auto& e) { e.training.cutmixAlpha = 0.2; }), "training.cutmix_alpha");
  EXPECT_EQ(refusedAt([](auto& e) { e.masks.scheme = "sch1"; }), "masks");
}

TEST(Rebuilding, AMaskEditIsRefusedAndTheRunGoesOn) {
  TemporaryFolder folder;
  const auto session = begin(rebuildingExperiment(), folder / "run");
  const auto takes = TrainingSession::takesEdits(session->experiment());
  ASSERT_FALSE(takes);
  EXPECT_NE(takes.error().message.find("patches are dropped"), std::string::npos);
  EXPECT_FALSE(session->submit(editOf(session->masks(), 0, 0, "hard:3")));
  EXPECT_EQ(runToEnd(*session).state, TrainingState::Finished);
  EXPECT_TRUE(session->exported().edits.empty());
  EXPECT_TRUE(TrainingSession::takesEdits(tinyExperiment()));
}

// ---- Starting from it ------------------------------------------------------------------------------

Checkpoint weightsOfAutoencoder(const ModelConfig& config) {
  Checkpoint checkpoint;
  for (const auto& [name, tensor] : makeModel(config, 1)->state())
    checkpoint.tensors.emplace_back(name, tensor.detach().clone());
  return checkpoint;
}

TEST(Rebuilding, AClassifierStartsFromTheEncoder) {
  const ModelConfig config = rebuildingExperiment().model;
  Checkpoint checkpoint = weightsOfAutoencoder(config);
  const auto vit = makeModel(tinyExperiment().model, 2);
  const PretrainedFit fit = fitPretrained(checkpoint, *vit);
  ASSERT_EQ(fit.notes.size(), 2u);
  EXPECT_NE(fit.notes[0].find("decoder"), std::string::npos);
  EXPECT_NE(fit.notes[1].find("new head"), std::string::npos);
  std::set<std::string> left, own;
  for (const auto& [name, tensor] : checkpoint.tensors)
    left.insert(name);
  for (const auto& [name, tensor] : vit->state())
    if (!name.starts_with("head.")) own.insert(name);
  EXPECT_EQ(left, own);
  Checkpoint again = weightsOfAutoencoder(config);
  const std::size_t all = again.tensors.size();
  EXPECT_TRUE(fitPretrained(again, *makeModel(config, 2)).notes.empty());
  EXPECT_EQ(again.tensors.size(), all) << "an MAE goes on with its decoder";
}

TEST(Rebuilding, ARunOfAClassifierStartsFromARunOfAnAutoencoder) {
  TemporaryFolder folder;
  runToEnd(*begin(rebuildingExperiment(), folder / "mae"));
  Experiment fine = tinyExperiment();
  fine.masks = {};
  fine.training.weights = (folder / "mae/best.safetensors").string();
  EXPECT_EQ(runToEnd(*begin(fine, folder / "fine")).steps, 10);
}

}  // namespace
}  // namespace headlight
