// SPDX-License-Identifier: GPL-3.0-or-later

// Models with more than parameters: running statistics, auxiliary losses, schedules, readings.

#include <gtest/gtest.h>

#include <ATen/Functions.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include "core/data/DrawnDatasets.h"
#include "core/models/Registry.h"
#include "core/training/Telemetry.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/session/Images.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

/// tokens · gain, and everything of the interface that a training must serve.
class WatchedAttention : public Attention {
 public:
  explicit WatchedAttention(int heads) : Attention(heads) {
    m_gain = register_parameter("gain", at::ones({1}));
  }
  at::Tensor forward(const at::Tensor& tokens, AttentionHook*) override {
    m_batch = tokens.size(0);
    return tokens * m_gain;
  }
  std::string mapMeaning() const override { return "nothing"; }
  at::Tensor auxiliaryLoss() override { return 0.25 * (m_gain - 3).square().sum(); }
  void setProgress(double fraction) override { progress.push_back(fraction); }
  std::vector<std::pair<std::string, double>> readings() const override {
    return {{"batch", static_cast<double>(m_batch)}, {"gain", m_gain.item<double>()}};
  }
  std::vector<double> progress;

 private:
  at::Tensor m_gain;
  std::int64_t m_batch = 0;
};

ModelConfig normedConfig() {
  ModelConfig config;
  config.imageSize = 16;
  config.patchSize = 4;
  config.width = 8;
  config.depth = 1;
  config.heads = 2;
  config.classes = 9;
  config.classToken = false;
  return config;
}

/// Colors of patches → linear → batch norm → WatchedAttention → mean → head.
class NormedModel : public Model {
 public:
  NormedModel() : Model(normedConfig(), makeMaskShape(normedConfig())) {
    seedTorch(1);
    m_stem = register_module("stem", torch::nn::Linear(3, 8));
    m_norm = register_module("norm", torch::nn::BatchNorm1d(8));
    m_attention = register_module("attn", std::make_shared<WatchedAttention>(2));
    m_head = register_module("head", torch::nn::Linear(8, 9));
  }
  Grid grid(int) const override { return config().grid(); }
  at::Tensor embed(const at::Tensor& images) override {
    const at::Tensor patches = at::avg_pool2d(images, {4, 4}).flatten(2).transpose(1, 2);
    const at::Tensor rows = m_norm(m_stem(patches).flatten(0, 1));
    return rows.view({images.size(0), -1, 8});
  }
  at::Tensor block(int, const at::Tensor& tokens, AttentionHook* tap) override {
    return m_attention->forward(tokens, tap);
  }
  at::Tensor classify(const at::Tensor& tokens) override { return m_head(tokens.relu().mean(1)); }
  Attention& attention(int) override { return *m_attention; }
  WatchedAttention& watched() { return *m_attention; }

 private:
  torch::nn::Linear m_stem{nullptr}, m_head{nullptr};
  torch::nn::BatchNorm1d m_norm{nullptr};
  std::shared_ptr<WatchedAttention> m_attention;
};

Batch bufferBatch(std::int64_t step) {
  seedTorch(100 + static_cast<std::uint64_t>(step));
  Batch batch;
  batch.images = at::randn({4, 3, 16, 16}) * (1.0 + 0.1 * static_cast<double>(step));
  batch.labels = at::randint(9, {4}, at::kLong);
  return batch;
}

TrainingConfig averagedConfig() {
  TrainingConfig config = tinyExperiment().training;
  config.emaDecay = 0.8;
  return config;
}

at::Tensor named(const NamedTensors& tensors, const std::string& name) {
  for (const auto& [key, tensor] : tensors)
    if (key == name) return tensor;
  return {};
}

TEST(Buffers, TheAverageTakesRunningStatisticsAndLeavesCounters) {
  auto model = std::make_shared<NormedModel>();
  model->train();
  StepRunner runner(model, at::kCPU, averagedConfig(), 1, 5);
  at::Tensor mean = named(model->state(), "norm.running_mean").to(at::kDouble).clone();
  at::Tensor variance = named(model->state(), "norm.running_var").to(at::kDouble).clone();
  for (std::int64_t step = 0; step < 4; ++step) {
    runner.run(bufferBatch(step), step);
    mean = 0.8 * mean + 0.2 * named(model->state(), "norm.running_mean");
    variance = 0.8 * variance + 0.2 * named(model->state(), "norm.running_var");
  }
  const NamedTensors averages = runner.average().state();
  EXPECT_TRUE(at::allclose(named(averages, "norm.running_mean").to(at::kDouble), mean, 0, 1e-6));
  EXPECT_TRUE(at::allclose(named(averages, "norm.running_var").to(at::kDouble), variance, 0, 1e-6));
  EXPECT_FALSE(named(averages, "norm.num_batches_tracked").defined());
  EXPECT_EQ(averages.size(), model->trainable().size() + 2);

  const at::Tensor own = named(model->state(), "norm.running_mean").clone();
  runner.average().withAverages([&] {
    const NamedTensors inside = model->state();
    EXPECT_FALSE(at::equal(named(inside, "norm.running_mean"), own));
    EXPECT_TRUE(at::allclose(named(inside, "norm.running_mean").to(at::kDouble), mean, 0, 1e-6));
    EXPECT_EQ(named(inside, "norm.num_batches_tracked").item<std::int64_t>(), 4);
  });
  EXPECT_TRUE(at::equal(named(model->state(), "norm.running_mean"), own));
}

TEST(Buffers, TheAverageBeginsAnewAfterItsEpochsAndAResumedRunDoesToo) {
  TrainingConfig config = averagedConfig();
  config.epochs = 4;
  config.emaWarmup = true;
  config.emaRestart = 2;
  auto whole = std::make_shared<NormedModel>(), cut = std::make_shared<NormedModel>();
  whole->train();
  cut->train();
  copyExactly(cut->state(), whole->state(), "test");
  StepRunner runner(whole, at::kCPU, config, 1, 2), first(cut, at::kCPU, config, 1, 2);
  for (std::int64_t step = 0; step < 4; ++step) {  // cut where the cycle ends
    runner.run(bufferBatch(step), step);
    first.run(bufferBatch(step), step);
  }
  StepRunner resumed(cut, at::kCPU, config, 1, 2);
  resumed.optimizer().load(first.optimizer().state(), "test");
  resumed.average().load(first.average().state(), "test");
  const at::Tensor before = named(whole->state(), "norm.running_mean").to(at::kDouble);
  for (auto* each : {&runner, &resumed})
    each->run(bufferBatch(4), 4);
  const at::Tensor expected =
      0.1 * before + 0.9 * named(whole->state(), "norm.running_mean").to(at::kDouble);
  const NamedTensors averages = runner.average().state(), again = resumed.average().state();
  EXPECT_TRUE(
      at::allclose(named(averages, "norm.running_mean").to(at::kDouble), expected, 0, 1e-6));
  for (std::size_t i = 0; i < averages.size(); ++i)
    EXPECT_TRUE(at::equal(averages[i].second, again[i].second)) << averages[i].first;
}

TEST(Buffers, ACheckpointCarriesThemBitForBit) {
  TemporaryFolder folder;
  auto whole = std::make_shared<NormedModel>();
  whole->train();
  StepRunner runner(whole, at::kCPU, averagedConfig(), 1, 6);
  for (std::int64_t step = 0; step < 6; ++step) {
    if (step == 3) {
      TrainingCheckpoint saved;
      saved.experiment.model = normedConfig();
      saved.weights = whole->state();
      saved.optimizer = runner.optimizer().state();
      saved.average = runner.average().state();
      saved.masks = whole->masks();
      ASSERT_TRUE(writeTrainingCheckpoint(opened(folder.path()), "last.safetensors", saved));
    }
    runner.run(bufferBatch(step), step);
  }
  const auto saved =
      valueOrThrow(readTrainingCheckpoint(opened(folder.path()), "last.safetensors"));
  const at::Tensor counter = named(saved.weights, "norm.num_batches_tracked");
  ASSERT_TRUE(counter.defined());
  EXPECT_EQ(counter.scalar_type(), at::kLong);
  EXPECT_EQ(counter.item<std::int64_t>(), 3);

  auto resumed = std::make_shared<NormedModel>();
  resumed->train();
  StepRunner again(resumed, at::kCPU, averagedConfig(), 1, 6);
  copyExactly(resumed->state(), saved.weights, "test");
  again.optimizer().load(saved.optimizer, "test");
  again.average().load(saved.average, "test");
  for (std::int64_t step = 3; step < 6; ++step)
    again.run(bufferBatch(step), step);
  const NamedTensors expected = whole->state(), state = resumed->state();
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(at::equal(expected[i].second, state[i].second)) << expected[i].first;
  const NamedTensors expectedAverage = runner.average().state(), average = again.average().state();
  for (std::size_t i = 0; i < expectedAverage.size(); ++i)
    EXPECT_TRUE(at::equal(expectedAverage[i].second, average[i].second)) << average[i].first;
}

TEST(StepRunner, AddsTheAuxiliaryLossAndTellsTheProgress) {
  auto model = std::make_shared<NormedModel>();
  model->train();
  TrainingConfig config = averagedConfig();
  config.epochs = 2;
  StepRunner runner(model, at::kCPU, config, 1, 4);  // 8 steps
  const Batch batch = bufferBatch(0);
  model->watched().progress.clear();
  const double gain = named(model->state(), "attn.gain").item<double>();
  const StepResult result = runner.run(batch, 2);
  ASSERT_TRUE(result.auxiliaryLoss);
  EXPECT_NEAR(*result.auxiliaryLoss, 0.25 * (gain - 3) * (gain - 3), 1e-6);
  EXPECT_GT(result.loss, *result.auxiliaryLoss);
  EXPECT_FALSE(result.distillationLoss);
  EXPECT_EQ(model->watched().progress, (std::vector<double>{0.25}));
  runner.announce(8);
  EXPECT_EQ(model->watched().progress.back(), 1.0);
  // The gradient of the auxiliary loss arrived: the gain moves towards 3.
  for (std::int64_t step = 3; step < 8; ++step)
    runner.run(batch, step);
  EXPECT_GT(named(model->state(), "attn.gain").item<double>(), gain);
}

/// LeViT, whose every map is followed by a batch norm, with the auxiliary branch and its schedule.
Experiment levitExperiment() {
  Experiment experiment = tinyExperiment();
  experiment.masks = {};
  experiment.model = findPublishedModel("levit_micro")->config;
  experiment.model.mechanism = "linear_angular";
  experiment.model.attention = {
      {"epsilon", 0.01}, {"epsilon_end", 0.05}, {"epsilon_schedule", "linear"}};
  return experiment;
}

TEST(LevitRun, ResumesToTheSameWeightsAndStatistics) {
  TemporaryFolder folder;
  const Experiment experiment = levitExperiment();
  const auto session = begin(experiment, folder / "whole");
  runToEnd(*session);
  const double top1 = session->takeUpdate().epochPoints.back().top1;
  const auto expected = lastTensors(folder / "whole");
  std::int64_t statistics = 0;
  for (const auto& [name, tensor] : expected)
    if (name.starts_with("ema.") && name.ends_with("running_var")) {
      EXPECT_TRUE(expected.contains(name.substr(4))) << name;
      EXPECT_FALSE(at::equal(tensor, at::ones_like(tensor))) << name << " never moved";
      ++statistics;
    }
  EXPECT_GT(statistics, 10);
  for (const std::int64_t stop : {3, 5}) {  // in an epoch, and before its validation
    const auto path = folder / ("stopped at " + std::to_string(stop));
    ASSERT_TRUE(runUntil(*begin(experiment, path), stop));
    const auto again = resume(path);
    runToEnd(*again);
    expectSame(expected, lastTensors(path));
    EXPECT_EQ(again->takeUpdate().epochPoints.back().top1, top1);
    const auto rows = linesOf(folder / "whole/metrics.csv"), others = linesOf(path / "metrics.csv");
    ASSERT_EQ(rows.size(), others.size());
    for (std::size_t i = 0; i < rows.size(); ++i)  // all but the seconds
      EXPECT_EQ(rows[i].substr(0, rows[i].rfind(',')), others[i].substr(0, others[i].rfind(',')));
  }
  // The schedule, as the telemetry saw it: ten steps from 0.01 to 0.05.
  std::int64_t seen = 0;
  for (const std::string& line : linesOf(folder / "whole/metrics.jsonl")) {
    const Json json = Json::parse(line);
    if (json["type"] != "heads") continue;
    const double done = json["step"].get<double>() / 10;
    for (const Json& layer : json["readings"]) {
      EXPECT_NEAR(layer["epsilon"].get<double>(), 0.01 + done * 0.04, 1e-12);
      const double nonzeros = layer["nonzeros"].get<double>();
      EXPECT_TRUE(nonzeros >= 0 && nonzeros <= 1) << nonzeros;
    }
    ++seen;
  }
  EXPECT_EQ(seen, 6);
}

TEST(HeadProbe, AveragesReadingsOverTheImages) {
  auto model = std::make_shared<NormedModel>();
  DatasetSpec spec;
  spec.imageSize = 16;
  spec.validationSamples = 20;
  const auto dataset = valueOrThrow(openDataset(spec, Split::Validation));
  const HeadProbe probe(*dataset, 20, makePreprocessing(normedConfig()), 1, at::kCPU);
  const HeadPoint point = probe.measure(*model, 3);
  EXPECT_EQ(point.images, 20);
  ASSERT_EQ(point.readings.size(), 1u);
  ASSERT_EQ(point.readings[0].size(), 2u);
  EXPECT_EQ(point.readings[0][0].first, "batch");
  EXPECT_NEAR(point.readings[0][0].second, (16.0 * 16 + 4 * 4) / 20, 1e-9);  // 16 at a time
  EXPECT_NEAR(point.readings[0][1].second, 1, 1e-9);
  EXPECT_EQ(readingsToJson(point.readings).size(), 1u);
  EXPECT_TRUE(readingsToJson({{}, {}}).empty());
}

}  // namespace
}  // namespace headlight
