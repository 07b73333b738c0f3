// SPDX-License-Identifier: GPL-3.0-or-later

// Classifiers of LCNet, ESNet, LCNet-ViT and ESNet-ViT, and the detectors of the networks without
// attention.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/config/Experiment.h"
#include "core/config/ExperimentTask.h"
#include "core/models/published/DetectorSizes.h"
#include "tests/models/Refusals.h"
#include "tests/models/detection/DetectorSupport.h"
#include "tests/models/detection/NaiveDetector.h"

namespace headlight {
namespace {

std::vector<at::Tensor> naiveMaps(const NaiveDetector& naive, const std::string& trunk,
                                  const at::Tensor& images) {
  return trunk.starts_with("lcnet") ? naive.lcnetVit(images) : naive.esnetVit(images);
}

/// Feature by feature.
at::Tensor naiveLogits(const NaiveDetector& naive, const at::Tensor& map) {
  const at::Tensor means = map.flatten(2).sum(2) / map.size(2) / map.size(3);
  const at::Tensor hidden =
      NaiveDetector::hardSwish(at::matmul(means, naive.of("head.hidden.weight").t()));
  return at::matmul(hidden, naive.of("head.fc.weight").t()) + naive.of("head.fc.bias");
}

void expectAlike(const at::Tensor& found, const at::Tensor& expected) {
  ASSERT_EQ(found.sizes(), expected.sizes());
  const double size = expected.abs().max().item<double>();
  EXPECT_GT(expected.std().item<double>(), 1e-3);
  EXPECT_LT((found - expected).abs().max().item<double>(), 1e-9 * size);
}

class TrunkClassifiers : public ::testing::TestWithParam<const char*> {
 protected:
  std::string trunk() const { return GetParam(); }
  ModelConfig config(int pixels = 64) const {
    return microDetector(trunk() + kClassifierEnding, pixels);
  }
};

TEST_P(TrunkClassifiers, EqualANaiveOneInDoublePrecision) {
  const auto model = stirredDetector(config());
  const at::NoGradGuard noGrad;
  model->to(at::kDouble);
  const at::Tensor images = noise(2, 64, 96).to(at::kDouble);
  const NaiveDetector naive(model->state(), 32);
  expectAlike(model->forward(images).to(at::kDouble),
              naiveLogits(naive, naiveMaps(naive, trunk(), images).back()));
}

TEST_P(TrunkClassifiers, EveryParameterHasAGradientAndIsCounted) {
  const auto model = makeModel(config(), 1);
  model->forward(noise(3, 64, 64)).square().sum().backward();
  std::int64_t parameters = 0;
  for (const auto& [name, tensor] : model->trainable()) {
    EXPECT_TRUE(tensor.grad().defined() && tensor.grad().isfinite().all().item<bool>()) << name;
    parameters += tensor.numel();
  }
  EXPECT_EQ(parameters, modelCost(config()).parameters);
}

/// Those of the detector, tensor by tensor: what it is pre-trained as.
TEST_P(TrunkClassifiers, HaveTheBackboneOfTheirDetector) {
  std::map<std::string, std::vector<std::int64_t>> detector;
  for (const auto& [name, tensor] : makeModel(microDetector(trunk(), 64), 1)->state())
    if (name.starts_with("backbone.")) detector[name] = tensor.sizes().vec();
  std::size_t shared = 0;
  for (const auto& [name, tensor] : makeModel(config(), 1)->state()) {
    if (name.starts_with("head.")) continue;
    ASSERT_TRUE(detector.contains(name)) << name;
    EXPECT_EQ(detector[name], tensor.sizes().vec()) << name;
    ++shared;
  }
  EXPECT_EQ(shared, detector.size());
}

TEST_P(TrunkClassifiers, SayOfPooledFeaturesWhatTheHeadReads) {
  const auto model = stirredDetector(config());
  const at::NoGradGuard noGrad;
  at::Tensor tokens = model->embed(noise(1, 64, 64));
  for (int layer = 0; layer < model->layers(); ++layer)
    tokens = model->block(layer, tokens, nullptr);
  const at::Tensor features = model->pooledFeatures(tokens);
  EXPECT_EQ(features.sizes(), (std::vector<std::int64_t>{1, 256}));
  EXPECT_EQ(model->layers(), trunk().ends_with("_vit") ? 2 : 0);
  EXPECT_TRUE(at::equal(model->classify(tokens), model->forward(noise(1, 64, 64))));
}

INSTANTIATE_TEST_SUITE_P(All, TrunkClassifiers,
                         ::testing::Values("lcnet", "esnet", "lcnet_vit", "esnet_vit"));

TEST(PlainDetectors, EqualANaiveOneInDoublePrecision) {
  for (const std::string trunk : {"lcnet", "esnet"}) {
    SCOPED_TRACE(trunk);
    const auto model = stirredDetector(microDetector(trunk, 64));
    const at::NoGradGuard noGrad;
    model->to(at::kDouble);
    const at::Tensor images = noise(1, 64, 96).to(at::kDouble);
    const NaiveDetector naive(model->state(), 32);
    const CellScores found = model->forwardCells(images);
    expectAlike(at::cat({found.logits, found.sides.flatten(2)}, 2).to(at::kDouble),
                naive.head(naive.neck(naiveMaps(naive, trunk, images))));
  }
}

/// 3.32 M and 2.153 M are those of the papers.
TEST(PlainDetectors, AreRegisteredWithTheirPublishedSizes) {
  for (const auto& [name, parametersM] :
       {std::pair{"lcnet_s_320", 1.10}, std::pair{"lcnet_m_416", 3.32},
        std::pair{"esnet_s_320", 0.993}, std::pair{"esnet_m_416", 2.153},
        std::pair{"esnet_l_416", 3.305}}) {
    const PublishedModel* model = findPublishedModel(name);
    ASSERT_NE(model, nullptr) << name;
    EXPECT_EQ(taskOf(model->config), Task::Detect);
    EXPECT_NEAR(static_cast<double>(modelCost(model->config).parameters) / 1e6, parametersM,
                0.005 * parametersM)
        << name;
  }
}

TEST(PlainDetectors, HaveNoAttention) {
  const auto model = makeModel(microDetector("lcnet", 64), 1);
  EXPECT_EQ(model->layers(), 0);
  EXPECT_EQ(model->masks().layers(), 0);
  EXPECT_FALSE(model->mapIsSigned());
  EXPECT_NE(model->mapMeaning().find("no attention"), std::string::npos);
  ModelConfig odd = microDetector("lcnet", 64);
  odd.imageSize = 112;
  EXPECT_EQ(refusedAt(odd), "model.image_size");
  Json other = microJson("lcnet");
  other["mechanism"] = "linear_angular";
  const auto read = modelFromJson(other, modelCatalog());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().where, "model.mechanism");
  const auto vit = modelFromJson({{"depth", 0}}, modelCatalog());
  ASSERT_FALSE(vit.ok());
  EXPECT_EQ(vit.error().where, "model.depth");
}

std::string backboneFor(const std::string& task, const Json& model) {
  return valueOrThrow(experimentFromJson({{"task", task}, {"model", model}}, modelCatalog()))
      .model.backbone;
}

TEST(TrunkTasks, ChooseTheDetectorOrTheClassifierOfANetwork) {
  for (const std::string trunk : {"lcnet", "esnet", "lcnet_vit", "esnet_vit"}) {
    const std::string classifier = trunk + kClassifierEnding;
    EXPECT_EQ(backboneFor("classification", {{"backbone", trunk}}), classifier);
    EXPECT_EQ(backboneFor("detection", {{"backbone", classifier}}), trunk);
    EXPECT_EQ(backboneFor("detection", {{"backbone", trunk}}), trunk);
  }
}

TEST(TrunkTasks, KeepTheSizeOfANamedModel) {
  const Experiment experiment = valueOrThrow(experimentFromJson(
      {{"task", "classification"}, {"model", {{"name", "lcnet_vit_m_416"}}}}, modelCatalog()));
  EXPECT_EQ(experiment.model.backbone, "lcnet_vit_classifier");
  EXPECT_EQ(experiment.model.layout["size"], "m");
}

}  // namespace
}  // namespace headlight
