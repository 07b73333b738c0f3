// Castling as evaluate tells of it: what is left of the branch in every layer, and that it is free
// exactly where nothing is.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/attention/LinearAngular.h"
#include "core/models/Castling.h"
#include "core/models/Registry.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/Evaluate.h"
#include "core/workbench/InferenceSession.h"
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
      const CastlingReport report = valueOrThrow(evaluateCastling(request, {}, {}));
      EXPECT_EQ(report.with.images, 9);
      EXPECT_EQ(report.layers.size(), maskShapeOf(config).heads.size());
      bool empty = true;
      for (const auto& layer : report.layers) {
        ASSERT_FALSE(std::isnan(layer.nonzeros));
        EXPECT_LE(layer.nonzeros, 1);
        EXPECT_EQ(layer.nonzeros > 0, layer.perImage > 0);
        empty = empty && layer.nonzeros == 0;
      }
      EXPECT_EQ(empty, free);
      EXPECT_EQ(report.free, free);
      EXPECT_EQ(report.with.loss == report.castled.loss, free);
      EXPECT_EQ(report.verdict.starts_with("free: "), free) << report.verdict;
    }
  }
}

TEST(Castling, OfAModelWithoutABranchIsRefused) {
  TemporaryFolder folder;
  ModelConfig config = findPublishedModel("levit_micro")->config;
  config.classes = 9;
  const auto report = evaluateCastling(savedModel(config, folder / "model.safetensors"), {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::InvalidConfig);
  EXPECT_EQ(report.error().where, "model.mechanism");
  // Layers without a branch leave nothing either.
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(castlingIsFree({none, none}));
  EXPECT_TRUE(castlingIsFree({none, 0}));
  EXPECT_FALSE(castlingIsFree({none, 1e-9}));
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
