// SPDX-License-Identifier: GPL-3.0-or-later

// The counts of timm and of the papers, and every registered model forward and backward. The golden
// vectors are in the file of each backbone; tests/cli/GoldenTest.cpp has those of ViT and DeiT.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

TEST(Registry, FindsNamesAndShortNames) {
  ASSERT_NE(findPublishedModel("deit_tiny_patch16_224"), nullptr);
  EXPECT_EQ(findPublishedModel("deit_tiny")->name, "deit_tiny_patch16_224");
  EXPECT_EQ(findPublishedModel("nothing"), nullptr);
  EXPECT_FALSE(modelCatalog().published("nothing").has_value());
}

TEST(Registry, SizesAreThePublishedOnes) {
  for (const auto& model : publishedModels()) {
    ASSERT_NO_THROW(checkedAndCompleted(model.config)) << model.name;
    const ModelCost cost = publishedCost(model);
    std::int64_t parameters = 0, macs = 0;
    for (const auto& layer : cost.layers) {
      parameters += layer.parameters;
      macs += layer.macs;
    }
    EXPECT_EQ(parameters, cost.parameters);
    EXPECT_EQ(macs, cost.macs);
    if (model.publishedParametersM > 0) {
      const double millions = cost.parameters / 1e6, published = model.publishedParametersM;
      // Within 1.5 %, or equal at the precision it was printed in (one decimal, or none).
      EXPECT_TRUE(std::abs(millions - published) <= 0.015 * published ||
                  std::round(millions * 10) / 10 == published || std::round(millions) == published)
          << model.name << " " << millions << " M";
    }
    if (model.publishedMacsG > 0) {
      // Those of detectors count norms too.
      const double share = taskOf(model.config) == Task::Detect ? 0.07 : 0.05;
      EXPECT_NEAR(cost.macs / 1e9, model.publishedMacsG, share * model.publishedMacsG)
          << model.name;
    }
  }
  // timm's own counts, exactly.
  EXPECT_EQ(modelCost(findPublishedModel("deit_tiny")->config).parameters, 5717416);
  EXPECT_EQ(modelCost(findPublishedModel("deit_small")->config).parameters, 22050664);
  EXPECT_EQ(modelCost(findPublishedModel("deit_base")->config).parameters, 86567656);
  EXPECT_EQ(modelCost(findPublishedModel("deit_tiny_distilled")->config).parameters, 5910800);
}

/// No paper prints them: MaiT-T of 36 layers is DeiT-T with 24 blocks more, and its mixed masks
/// leave 9 of 197 keys to the masked heads.
TEST(Registry, MaitOf36LayersIsDeitTinyThreeTimesAsDeep) {
  const PublishedModel& deep = *findPublishedModel("mait_t36");
  const ModelCost tiny = modelCost(findPublishedModel("deit_tiny")->config),
                  cost = modelCost(deep.config);
  constexpr std::int64_t kWidth = 192, kTokens = 197,
                         kBlock = 12 * kWidth * kWidth + 13 * kWidth,  // weights, biases and norms
      kBlockMacs = 12 * kWidth * kWidth * kTokens + 2 * kTokens * kTokens * kWidth;
  EXPECT_EQ(cost.parameters, tiny.parameters + 24 * kBlock);
  EXPECT_EQ(cost.parameters, 16394152);
  EXPECT_EQ(cost.macs, tiny.macs + 24 * kBlockMacs);
  const MaskScheme masks = *makeMaskPreset(deep.scheme, makeMaskShape(deep.config));
  EXPECT_EQ(masks.layers(), 36);
  EXPECT_EQ(masks.maskedHeads(), 12 * 3 + 24);
  for (const int layer : {11, 12})
    EXPECT_EQ(masks.at(layer, 2).kind, layer < 12 ? MaskKind::Hard : MaskKind::None);
  EXPECT_LT(modelCost(deep.config, masks).macs, cost.macs);
}

TEST(Models, CountEqualsWhatIsBuilt) {
  for (const auto& published : publishedModels()) {
    const ModelConfig config = shrunk(published.config);
    std::int64_t parameters = 0;
    for (const auto& [name, tensor] : makeModel(config, 0)->trainable())
      parameters += tensor.numel();
    EXPECT_EQ(parameters, modelCost(config).parameters) << published.name;
  }
}

void runForwardAndBackward(const std::string& name, const ModelConfig& config) {
  const auto model = makeModel(config, 1);
  const bool maskable = model->masks().maskableLayers() > 0;
  model->setMasks(*makeMaskPreset(maskable ? "sch3" : "none", model->masks().shape()));
  const at::Tensor logits =
      model->forward(at::randn({2, 3, config.imageHeightPixels(), config.imageWidthPixels()}));
  ASSERT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 7})) << name;
  ASSERT_TRUE(logits.isfinite().all().item<bool>()) << name;
  logits.pow(2).sum().backward();
  for (const auto& [parameter, tensor] : model->trainable()) {
    ASSERT_TRUE(tensor.grad().defined()) << name << " " << parameter;
    EXPECT_TRUE(tensor.grad().isfinite().all().item<bool>()) << name << " " << parameter;
  }
}

TEST(Models, EveryRegisteredOneRunsAtTwoSizesAndEveryParameterHasAGradient) {
  for (const auto& published : publishedModels()) {
    if (taskOf(published.config) == Task::Rebuild) continue;  // no logits: MaskedAutoencoderTest
    ModelConfig config = shrunk(published.config);
    runForwardAndBackward(published.name, config);
    config.imageSize = config.imageSize * 3 / 2;
    runForwardAndBackward(published.name + ", larger", config);
  }
}

TEST(Models, PartsEqualTheWholeAndTheTapChangesNothing) {
  const auto model = makeModel(findPublishedModel("deit_distilled_micro")->config, 2);
  model->eval();
  const at::NoGradGuard noGrad;
  const at::Tensor images = at::randn({2, 3, 32, 32});
  CollectingHook tap([](int layer) { return layer == 1; });
  const at::Tensor tapped = model->forward(images, &tap), plain = model->forward(images);
  EXPECT_LT((tapped - plain).abs().max().item<float>(), 1e-6);
  ASSERT_EQ(tap.maps.size(), 1u);
  EXPECT_EQ(tap.maps[1].sizes(), (std::vector<std::int64_t>{2, 3, 66, 66}));
  EXPECT_LT((tap.maps[1].sum(-1) - 1).abs().max().item<float>(), 1e-5);
}

TEST(Models, InitializationFollowsTheSeed) {
  const auto config = findPublishedModel("vit_micro")->config;
  const auto a = makeModel(config, 5)->state(), b = makeModel(config, 5)->state(),
             c = makeModel(config, 6)->state();
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(at::equal(a[i].second, b[i].second));
  EXPECT_FALSE(at::equal(a[1].second, c[1].second));
}

TEST(Models, DecayFollowsTimmsRule) {
  const auto model = makeModel(shrunk(findPublishedModel("mait_xt")->config), 0);
  model->setMasks(*makeMaskPreset("sch3", model->masks().shape()));
  for (const auto& [name, tensor] : model->trainable()) {
    const bool expected = tensor.dim() > 1 && name != "pos_embed" && name != "cls_token";
    EXPECT_EQ(model->decays(name, tensor), expected) << name;
  }
}

TEST(Models, DropPathKeepsTheMeanAndIsOffInEvaluation) {
  auto config = shrunk(findPublishedModel("vit_micro")->config);
  config.dropPath = 0.5;
  config.dropPathMode = "constant";
  const auto model = makeModel(config, 3);
  const at::NoGradGuard noGrad;
  const at::Tensor images = at::randn({1, 3, 32, 32});
  model->eval();
  EXPECT_TRUE(at::equal(model->forward(images), model->forward(images)));
  model->train();
  EXPECT_FALSE(at::equal(model->forward(images.expand({8, -1, -1, -1})).slice(0, 0, 1),
                         model->forward(images.expand({8, -1, -1, -1})).slice(0, 1, 2)));
}

TEST(Models, RefuseAnImageOrASchemeOfAnotherShape) {
  const auto model = makeModel(findPublishedModel("vit_micro")->config, 0);
  EXPECT_THROW(model->forward(at::zeros({1, 3, 33, 32})), std::exception);
  EXPECT_THROW(model->setMasks(MaskScheme(4, 3)), Failure);
  EXPECT_THROW(model->setMasks(MaskScheme(3, 2)), Failure);
}

}  // namespace
}  // namespace headlight
