// SPDX-License-Identifier: GPL-3.0-or-later

// The parts of every backbone: which there are, that they add up, and that measuring them changes
// no number. How fast they are, is no test.

#include "core/workbench/bench/PartBench.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/bench/BenchTable.h"
#include "core/workbench/bench/PartClock.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

/// One small model of each backbone, by its name.
std::map<std::string, ModelConfig> smallBackbones() {
  std::map<std::string, ModelConfig> models;
  for (const PublishedModel& published : publishedModels())
    if (!models.contains(published.config.backbone))
      models.emplace(published.config.backbone, shrunk(published.config));
  return models;
}

BenchOptions partOptions(const ModelConfig& config) {
  BenchOptions options;
  options.device = "cpu";
  options.threads = 1;
  options.repeats = 1;
  options.batch = 2;
  options.models.clear();
  options.given.push_back({"small", {config, {}}});
  return options;
}

std::vector<PartReport> partsOf(const BenchOptions& options) {
  std::vector<PartReport> reports;
  const auto done =
      benchParts(options, [&](const PartReport& report) { reports.push_back(report); }, {});
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  return reports;
}

/// The sum of a pass is less than what a clock around it says, by no more than reading clocks.
void expectAddsUp(double sum, double whole) {
  EXPECT_GT(sum, 0);
  EXPECT_LE(sum, whole * (1 + 1e-9));
  EXPECT_GE(sum, whole / 2);
}

TEST(PartBench, EveryBackboneHasItsParts) {
  const auto models = smallBackbones();
  ASSERT_GE(models.size(), 9u);
  for (const auto& [backbone, config] : models) {
    SCOPED_TRACE(backbone);
    const std::vector<PartReport> reports = partsOf(partOptions(config));
    ASSERT_EQ(reports.size(), 1u);
    const PartReport& report = reports.front();
    double inference = 0, step = 0;
    for (const ModelPart part : kModelParts) {
      for (const ModelPass pass : kModelPasses)
        EXPECT_GE(report.times.at(pass, part), 0) << modelPartName(part);
      inference += report.inferenceMsOf(part);
      step += report.stepMsOf(part);
    }
    expectAddsUp(inference, report.inferenceMs);
    expectAddsUp(step, report.stepMs);
    // LCNet and ESNet have no block: all before the head is their embedding.
    const bool attends = config.layers() > 0;
    std::vector<ModelPart> there{ModelPart::Embedding, ModelPart::Norms};
    if (attends)
      there.insert(there.end(), {ModelPart::Projections, ModelPart::Attention, ModelPart::Mlp});
    for (const ModelPart part : there) {
      EXPECT_GT(report.times.at(ModelPass::Inference, part), 0) << modelPartName(part);
      EXPECT_GT(report.times.at(ModelPass::Forward, part), 0) << modelPartName(part);
      EXPECT_GT(report.times.at(ModelPass::Backward, part), 0) << modelPartName(part);
    }
    EXPECT_GT(report.times.at(ModelPass::Forward, ModelPart::Head), 0);
    EXPECT_GT(report.times.at(ModelPass::Forward, ModelPart::Loss), 0);
    EXPECT_EQ(report.times.at(ModelPass::Inference, ModelPart::Loss), 0);
    EXPECT_GT(report.times.at(ModelPass::Update, ModelPart::Optimizer), 0);
    EXPECT_EQ(report.times.at(ModelPass::Backward, ModelPart::Optimizer), 0);
    const bool convolves =
        backbone == "mvitv2" || backbone == "lcnet_vit" || backbone == "esnet_vit";
    if (convolves) {
      EXPECT_GT(report.inferenceMsOf(ModelPart::Convolution), 0);
      EXPECT_GT(report.times.at(ModelPass::Backward, ModelPart::Convolution), 0);
    }
    if (backbone == "vit") EXPECT_EQ(report.stepMsOf(ModelPart::Convolution), 0);
    EXPECT_EQ(report.attentionInInference() > 0, attends);
    EXPECT_LT(report.attentionInStep(), 1);
    EXPECT_EQ(report.kernels.empty(), !attends);
  }
}

TEST(PartBench, TheConvolutionBesideCastlingsAttentionIsApart) {
  ModelConfig config = shrunk(findPublishedModel("deit_tiny")->config);
  config.mechanism = "linear_angular";
  config.attention = Json::object();
  BenchOptions options = partOptions(checkedAndCompleted(config));
  const auto castling = partsOf(options);
  ASSERT_EQ(castling.size(), 1u);
  EXPECT_GT(castling[0].stepMsOf(ModelPart::Convolution), 0);
  options.mechanisms = {"aft_conv"};  // whose convolution is the attention
  const auto aft = partsOf(options);
  ASSERT_EQ(aft.size(), 1u);
  EXPECT_EQ(aft[0].stepMsOf(ModelPart::Convolution), 0);
  EXPECT_TRUE(aft[0].name.ends_with(", aft_conv"));
}

TEST(PartBench, MeasuringChangesNoLogit) {
  for (const auto& [backbone, config] : smallBackbones()) {
    SCOPED_TRACE(backbone);
    const auto model = makeModel(config, 3);
    model->train(false);
    const at::NoGradGuard noGrad;
    seedTorch(7);
    const at::Tensor images =
        at::randn({2, 3, config.imageHeightPixels(), config.imageWidthPixels()});
    const at::Tensor plain = model->forward(images);
    const auto clock = std::make_shared<PartClock>([seconds = 0.0]() mutable { return ++seconds; });
    clock->setLinearLayers(*model);
    const PartClockScope listening(clock);
    clock->start(/*training=*/false);
    EXPECT_TRUE(model->forward(images).equal(plain));
    clock->stop();
  }
}

/// Loss and all weights of three steps.
std::vector<at::Tensor> stepped(const ModelConfig& config, bool measured) {
  const auto model = makeModel(config, 3);
  model->train();
  StepRunner runner(model, at::kCPU, TrainingConfig{}, 5, 3);
  const auto clock = std::make_shared<PartClock>([seconds = 0.0]() mutable { return ++seconds; });
  std::vector<at::Tensor> numbers;
  for (int step = 0; step < 3; ++step) {
    seedTorch(11 + step);
    Batch batch;
    batch.images = at::randn({2, 3, config.imageHeightPixels(), config.imageWidthPixels()});
    batch.labels = at::randint(config.classes, {2}, at::kLong);
    std::optional<PartClockScope> listening;
    if (measured) listening.emplace(clock);
    if (measured) clock->start(/*training=*/true);
    numbers.push_back(at::full({}, runner.run(batch, step).loss, at::kDouble));
    if (measured) clock->stop();
  }
  for (const auto& [name, tensor] : model->state())
    numbers.push_back(tensor.detach().clone());
  return numbers;
}

TEST(PartBench, MeasuringChangesNoTrainingStep) {
  const ModelConfig config = shrunk(findPublishedModel("deit_tiny")->config);
  const auto plain = stepped(config, false), measured = stepped(config, true);
  ASSERT_EQ(plain.size(), measured.size());
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_TRUE(plain[i].equal(measured[i])) << i;
}

TEST(PartBench, TablesSayTheSame) {
  const std::vector<PartReport> reports =
      partsOf(partOptions(shrunk(findPublishedModel("deit_tiny")->config)));
  ASSERT_EQ(reports.size(), 1u);
  const PartReport& report = reports.front();
  const Json json = partsJson(report);
  ASSERT_EQ(json["parts"].size(), kModelParts.size());
  double step = 0;
  for (std::size_t i = 0; i < kModelParts.size(); ++i) {
    EXPECT_EQ(json["parts"][i]["part"], modelPartName(kModelParts[i]));
    EXPECT_EQ(json["parts"][i]["step_ms"], report.stepMsOf(kModelParts[i]));
    step += json["parts"][i]["step_ms"].get<double>();
  }
  const BenchTable table = partTable(report);
  ASSERT_EQ(table.rows.size(), kModelParts.size() + 1);
  for (const auto& row : table.rows)
    EXPECT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(table.rows.back().back().text, "100.0");
  EXPECT_NEAR(std::stod(table.rows.back()[6].text), step, 0.006);
  const std::string csv = partsCsv(reports);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 11);
  EXPECT_TRUE(csv.starts_with("part,inference_ms,forward_ms,backward_ms,update_ms,step_ms,name,"));
}

TEST(PartBench, SeveralBatchesAndProgress) {
  BenchOptions options = partOptions(shrunk(findPublishedModel("deit_tiny")->config));
  options.batches = {1, 3};
  std::vector<std::int64_t> batches;
  std::vector<Progress> told;
  const auto done = benchParts(
      options, [&](const PartReport& report) { batches.push_back(report.batch); }, {},
      [&](const Progress& progress) { told.push_back(progress); });
  ASSERT_TRUE(done);
  EXPECT_EQ(batches, (std::vector<std::int64_t>{1, 3}));
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().done, told.back().total);
}

TEST(PartBench, ModelsAreMeasuredForSeveralBatches) {
  BenchOptions options = partOptions(shrunk(findPublishedModel("deit_tiny")->config));
  options.batches = {1, 2};
  std::vector<BenchRow> rows;
  std::vector<Progress> told;
  const auto done = benchModels(
      options, [&](const BenchRow& row) { rows.push_back(row); }, {},
      [&](const Progress& progress) { told.push_back(progress); });
  ASSERT_TRUE(done);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].batch, 2);
  EXPECT_EQ(told.back().done, told.back().total);
  EXPECT_EQ(static_cast<std::int64_t>(told.size()), told.back().total);
  rows[0].forwardMs = 4;
  rows[0].backwardMs = 6;
  EXPECT_DOUBLE_EQ(imagesPerSecond(rows[0]), 250);
  EXPECT_DOUBLE_EQ(trainedImagesPerSecond(rows[0]), 100);
  const std::string csv = benchCsv(rows);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  const BenchTable table = benchTable(rows);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].size(), table.columns.size());
  EXPECT_EQ(table.rows[0][6].text, "250.00");
}

TEST(PartBench, WhatCannotBeMeasuredIsRefused) {
  const auto error = [](const BenchOptions& options, std::stop_token stop = {}) {
    const auto done = benchParts(
        options, [](const PartReport&) {}, std::move(stop));
    EXPECT_FALSE(done);
    return done ? Error{} : done.error();
  };
  BenchOptions options = partOptions(shrunk(findPublishedModel("deit_tiny")->config));
  options.recomputing = true;
  EXPECT_EQ(error(options).code, ErrorCode::InvalidArgument);
  options.recomputing = false;
  options.batches = {0};
  EXPECT_EQ(error(options).code, ErrorCode::InvalidArgument);
  options.batches = {1};
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(error(options, stop.get_token()).code, ErrorCode::Canceled);
  options.given.front().model.config.classes = 0;
  EXPECT_NE(error(options).message.find("no classes"), std::string::npos);
}

}  // namespace
}  // namespace headlight
