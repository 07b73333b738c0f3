// SPDX-License-Identifier: GPL-3.0-or-later

// Castling as evaluate tells of it: what is left of the branch in every layer, and that it is free
// exactly where nothing is.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/linear/LinearAngular.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Castling.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/evaluation/BranchReport.h"
#include "core/workbench/export/Convert.h"
#include "core/workbench/results/CachedMetrics.h"
#include "core/workbench/session/InferenceSession.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/Shrunk.h"
#include "tests/models/StirNorms.h"

namespace headlight {
namespace {

/// A model as after training, in a file that carries its Experiment.
EvaluationRequest savedModel(const ModelConfig& config, const std::filesystem::path& path) {
  Experiment experiment;
  experiment.model = config;
  experiment.data.validationSamples = 9;
  const auto model = makeModel(config, 3);
  model->train();
  model->forward(at::randn({2, 3, config.imageSize, config.imageSize}));  // running statistics
  stirNorms(*model);
  valueOrThrow(
      writeSafetensors(path, model->state(), modelMetadata(experiment, model->masks(), {})));
  EvaluationRequest request;
  request.source.weights = path;
  request.source.device = "cpu";
  request.source.threads = 1;
  request.data = experiment.data;
  return request;
}

TEST(Castling, IsFreeOnlyWithoutNonzeros) {
  TemporaryFolder folder;
  for (const char* name : {"castling_deit_tiny", "castling_levit_128"}) {
    ModelConfig config = shrunk(findPublishedModel(name)->config);
    config.classes = 9;  // of texture-shape
    for (const double epsilon : {1.0, 0.01}) {
      SCOPED_TRACE(std::string(name) + ", ε = " + std::to_string(epsilon));
      config.attention["epsilon"] = epsilon;
      const bool free = epsilon == 1.0;  // no weight of a softmax is above it
      const auto request = savedModel(checkedAndCompleted(config), folder / "model.safetensors");
      const BranchReport report = valueOrThrow(evaluateWithoutBranch(request, {}, {}));
      EXPECT_EQ(report.with.images, 9);
      EXPECT_EQ(report.layers.size(), makeMaskShape(config).heads.size());
      bool empty = true;
      for (const auto& layer : report.layers) {
        ASSERT_FALSE(std::isnan(layer.nonzeros));
        EXPECT_LE(layer.nonzeros, 1);
        EXPECT_EQ(layer.nonzeros > 0, layer.perImage > 0);
        empty = empty && layer.nonzeros == 0;
      }
      EXPECT_EQ(empty, free);
      EXPECT_EQ(report.free, free);
      EXPECT_EQ(report.with.loss == report.withoutBranch.loss, free);
      EXPECT_EQ(report.verdict.starts_with("free: "), free) << report.verdict;
    }
  }
}

TEST(Castling, OfAModelWithoutABranchIsRefused) {
  TemporaryFolder folder;
  ModelConfig config = findPublishedModel("levit_micro")->config;
  config.classes = 9;
  const auto report =
      evaluateWithoutBranch(savedModel(config, folder / "model.safetensors"), {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::InvalidConfig);
  EXPECT_EQ(report.error().where, "model.mechanism");
  // Layers without a branch leave nothing either.
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(droppingIsFree({none, none}));
  EXPECT_TRUE(droppingIsFree({none, 0}));
  EXPECT_FALSE(droppingIsFree({none, 1e-9}));
}

ModelConfig smallCastling(double epsilon) {
  ModelConfig config = shrunk(findPublishedModel("castling_deit_tiny")->config);
  config.classes = 9;
  config.attention["epsilon"] = epsilon;
  config.attention["without_branch"] = false;  // which published ones are
  return checkedAndCompleted(config);
}

TEST(Castling, OfAnOpenModelIsThatOfItsFile) {
  TemporaryFolder folder;
  const auto request = savedModel(smallCastling(0.01), folder / "model.safetensors");
  const BranchReport file = valueOrThrow(evaluateWithoutBranch(request, {}, {}));
  const auto session = valueOrThrow(InferenceSession::open(request.source));
  const MaskScheme masks(makeMaskShape(session->info().experiment.model));
  const ImageSample sample{request.data, 0};
  std::string stages;
  const auto open = evaluateWithoutBranch(
      *session, sample, masks, [&](const Progress& step) { stages += step.stage + ";"; });
  ASSERT_TRUE(open) << open.error().text();
  EXPECT_EQ(open->with.loss, file.with.loss);
  EXPECT_EQ(open->withoutBranch.loss, file.withoutBranch.loss);
  EXPECT_EQ(open->verdict, file.verdict);
  ASSERT_EQ(open->layers.size(), file.layers.size());
  for (std::size_t l = 0; l < file.layers.size(); ++l) {
    EXPECT_EQ(open->layers[l].nonzeros, file.layers[l].nonzeros);
    EXPECT_EQ(open->layers[l].perImage, file.layers[l].perImage);
  }
  EXPECT_NE(stages.find("with the branch"), std::string::npos);
  EXPECT_NE(stages.find("without the branch"), std::string::npos);
  // The open model itself still goes with its branch.
  withModel(*session, [](Model& model) {
    EXPECT_FALSE(dynamic_cast<Castling&>(model.attention(0)).auxiliary().withoutBranch());
  });
  std::stop_source source;
  source.request_stop();
  const auto stopped = evaluateWithoutBranch(*session, sample, masks, {}, source.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Canceled);

  // Kept, it comes back as it was.
  const auto shelf = std::make_shared<const ResultCache>(folder / "results");
  const MeasuredOn on{*session, sample, masks};
  ASSERT_TRUE(cachedBranchReport({shelf}, on));
  const auto kept = cachedBranchReport({shelf, CachePolicy::Use::Kept}, on);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(branchReportCsv(*kept), branchReportCsv(*open));
  EXPECT_EQ(kept->verdict, open->verdict);
  EXPECT_FALSE(kept->free);
}

TEST(Castling, AHigherThresholdNeverLeavesMore) {
  TemporaryFolder folder;
  std::vector<double> nonzeros;
  for (const double epsilon : {0.0, 0.02, 0.06, 0.2}) {
    const auto request = savedModel(smallCastling(epsilon), folder / "model.safetensors");
    nonzeros.push_back(valueOrThrow(evaluateWithoutBranch(request, {}, {})).layers[0].nonzeros);
  }
  EXPECT_EQ(nonzeros[0], 1);
  EXPECT_TRUE(std::is_sorted(nonzeros.rbegin(), nonzeros.rend()));
  EXPECT_LT(nonzeros[3], 1);
}

TEST(Castling, SavedCastledItGoesWithoutItsBranch) {
  TemporaryFolder folder;
  const auto request = savedModel(smallCastling(0.01), folder / "model.safetensors");
  const BranchReport report = valueOrThrow(evaluateWithoutBranch(request, {}, {}));
  const auto session = valueOrThrow(InferenceSession::open(request.source));
  const MaskScheme masks(makeMaskShape(session->info().experiment.model));
  ASSERT_TRUE(saveWithoutBranch(*session, folder / "castled.safetensors", masks));
  EvaluationRequest withoutBranch = request;
  withoutBranch.source.weights = folder / "castled.safetensors";
  EXPECT_EQ(valueOrThrow(evaluate(withoutBranch, {}, {})).loss, report.withoutBranch.loss);
  EXPECT_EQ(valueOrThrow(evaluate(request, {}, {})).loss, report.with.loss);
  // As convert does it.
  ConvertOptions options;
  options.withoutBranch = true;
  ASSERT_TRUE(
      convertCheckpoint(folder / "model.safetensors", folder / "converted.safetensors", options));
  withoutBranch.source.weights = folder / "converted.safetensors";
  EXPECT_EQ(valueOrThrow(evaluate(withoutBranch, {}, {})).loss, report.withoutBranch.loss);
}

TEST(Castling, ConvertWritesWhereNothingIsLeftOrSomebodySaysSo) {
  TemporaryFolder folder;
  for (const bool free : {true, false}) {
    SCOPED_TRACE(free);
    const auto request = savedModel(smallCastling(free ? 1 : 0.01), folder / "model.safetensors");
    const auto out = folder / (free ? "free.safetensors" : "full.safetensors");
    ConvertOptions options;
    options.withoutBranch = true;
    options.check = BranchCheck{request.source, {request.data, 9}};
    const auto first = convertCheckpoint(folder / "model.safetensors", out, options);
    EXPECT_EQ(first.ok(), free);
    EXPECT_EQ(std::filesystem::exists(out), free);
    if (!free) {
      EXPECT_EQ(first.error().code, ErrorCode::InvalidArgument);
      for (const char* words : {"dropping the branch is not free: ", "--anyway", "top-1 goes from"})
        EXPECT_NE(first.error().message.find(words), std::string::npos) << first.error().message;
    }
    options.check->anyway = true;
    options.dtype = "f16";
    const auto anyway = convertCheckpoint(folder / "model.safetensors", out, options);
    ASSERT_TRUE(anyway) << anyway.error().text();
    EXPECT_EQ(anyway->castling->free, free);
    // Of the weights as they are written.
    EvaluationRequest written = request;
    written.source.weights = out;
    EXPECT_EQ(valueOrThrow(evaluate(written, {}, {})).loss, anyway->castling->withoutBranch.loss);
  }
}

TEST(Castling, WritesTheReportAsCsv) {
  BranchReport report;
  report.with = {.images = 9, .loss = 0.5, .top1 = 0.75, .top5 = 1};
  report.withoutBranch = {.images = 9, .loss = 0.625, .top1 = 0.5, .top5 = 1};
  report.layers = {
      {0.25, 100},
      {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()}};
  report.verdict = "not free: …";
  EXPECT_EQ(branchReportCsv(report),
            "what,with,castled\nimages,9,9\nloss,0.5,0.625\ntop1,0.75,0.5\ntop5,1,1\n"
            "nonzeros of layer 0,0.25,0\nnonzeros an image of layer 0,100,0\n");
  EXPECT_EQ(nonzerosText(report, 0), "layer 0: 25 % nonzeros, 100 per image");
  EXPECT_EQ(nonzerosText(report, 1), "layer 1: no auxiliary branch");
  EXPECT_FALSE(requireFree(report, "--anyway"));
  report.free = true;
  EXPECT_TRUE(requireFree(report, "--anyway"));
  EXPECT_TRUE(canDropBranch(smallCastling(0.02)));
  EXPECT_FALSE(canDropBranch(findPublishedModel("deit_tiny")->config));
}

/// Weights from within a run are looked at with the ε of their step, not with that of the end.
TEST(Castling, AScheduledEpsilonTravelsWithTheWeights) {
  TemporaryFolder folder;
  ModelConfig config = shrunk(findPublishedModel("castling_deit_tiny")->config);
  config.attention["epsilon"] = 0.02;
  config.attention["epsilon_schedule"] = "linear";
  config.attention["epsilon_end"] = 0.5;
  Experiment experiment;
  experiment.model = checkedAndCompleted(config);
  const auto model = makeModel(experiment.model, 3);
  for (const double progress : {0.0, 0.5, 1.0}) {
    const auto path = folder / "model.safetensors";
    valueOrThrow(writeSafetensors(path, model->state(),
                                  modelMetadata(experiment, model->masks(), {}, progress)));
    ModelSource source;
    source.weights = path;
    source.device = "cpu";
    const auto session = valueOrThrow(InferenceSession::open(source));
    withModel(*session, [&](Model& opened) {
      auto& castling = dynamic_cast<Castling&>(opened.attention(0));
      EXPECT_NEAR(castling.auxiliary().epsilon(), 0.02 + progress * 0.48, 1e-12);
    });
  }
}

}  // namespace
}  // namespace headlight
