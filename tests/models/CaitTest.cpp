// SPDX-License-Identifier: GPL-3.0-or-later

// CaiT: timm's logits, the class token that joins late, masks in patch layers only.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Golden.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

std::shared_ptr<Model> caitMicro() {
  const auto model = makeModel(findPublishedModel("cait_micro")->config, 4);
  model->eval();
  return model;
}

/// With the weights of timm's golden file: random ones are so small that masks hardly matter.
std::shared_ptr<Model> caitGolden() {
  const auto model = caitMicro();
  giveGoldenWeights(*model, goldenFile("cait_micro.safetensors"));
  return model;
}

TEST(Cait, GivesTimmsLogits) {
  const auto io = goldenTensors("cait_micro.io.safetensors");
  const at::NoGradGuard noGrad;
  EXPECT_LT((caitGolden()->forward(io.at("input")) - io.at("logits")).abs().max().item<float>(),
            1e-4);
}

TEST(Cait, TheClassTokenJoinsInTheClassLayers) {
  const auto model = caitMicro();
  ASSERT_EQ(model->layers(), 5);
  const at::NoGradGuard noGrad;
  CollectingHook tap;
  at::Tensor tokens = model->embed(at::randn({2, 3, 32, 32}));
  for (int l = 0; l < 5; ++l) {
    const bool classLayer = l >= 3;
    EXPECT_EQ(model->grid(l), (Grid{8, 8, classLayer ? 1 : 0}));
    const at::Tensor next = model->block(l, tokens, &tap);
    EXPECT_EQ(next.size(1), classLayer ? 65 : 64);
    EXPECT_EQ(tap.maps.at(l).sizes(),
              (std::vector<std::int64_t>{2, 4, next.size(1), next.size(1)}));
    if (classLayer) {  // patches pass unchanged
      EXPECT_TRUE(at::equal(next.slice(1, 1), tokens.slice(1, tokens.size(1) - 64)));
    }
    tokens = next;
  }
  EXPECT_TRUE(at::equal(tap.maps.at(4)[0][0].slice(0, 1), at::eye(65).slice(0, 1)));
  EXPECT_NE(model->mapMeaning().find("identity"), std::string::npos);
}

TEST(Cait, MasksActInPatchLayersAndNeverInClassLayers) {
  const auto model = caitGolden();
  const at::Tensor images = at::randn({1, 3, 32, 32});
  const at::NoGradGuard noGrad;
  const at::Tensor open = model->forward(images);
  EXPECT_EQ(model->masks().maskableLayers(), 3);
  for (const std::string preset : {"sch1", "sch2", "sch3", "mixed36"}) {
    const auto scheme = *makeMaskPreset(preset, model->masks().shape());
    EXPECT_GT(scheme.maskedHeads(), 0);
    for (int l = 3; l < 5; ++l)
      for (int h = 0; h < 4; ++h)
        EXPECT_EQ(scheme.at(l, h).kind, MaskKind::None);
    model->setMasks(scheme);
    EXPECT_GT((model->forward(images) - open).abs().max().item<float>(), 1e-4) << preset;
  }
  MaskScheme wrong(model->masks().shape());
  wrong.set(3, 0, *headMaskFromText("hard:3"));
  EXPECT_THROW(model->setMasks(wrong), Failure);
  model->setMasks(MaskScheme(model->masks().shape()));
  EXPECT_TRUE(at::equal(model->forward(images), open));
}

TEST(Cait, MaskedCaitComesWithItsScheme) {
  EXPECT_EQ(findPublishedModel("masked_cait_xxs24_224")->scheme, "sch2");
  EXPECT_EQ(modelCost(findPublishedModel("masked_cait_s24_224")->config).parameters,
            modelCost(findPublishedModel("cait_s24_224")->config).parameters);
}

TEST(Cait, CountsAreTimms) {
  EXPECT_EQ(modelCost(findPublishedModel("cait_xxs24_224")->config).parameters, 11956264);
  EXPECT_EQ(modelCost(findPublishedModel("cait_s24_224")->config).parameters, 46916200);
  EXPECT_EQ(modelCost(findPublishedModel("cait_xxs36_384")->config).parameters, 17372680);
}

TEST(Cait, RefusesWhatItIsNotWithThePath) {
  const auto refused = [](const std::function<void(ModelConfig&)>& edit) -> std::string {
    ModelConfig config = shrunk(findPublishedModel("cait_micro")->config);
    edit(config);
    try {
      makeModel(config, 0);
    } catch (const Failure& failure) {
      return failure.error().where;
    }
    return "taken";
  };
  EXPECT_EQ(refused([](ModelConfig&) {}), "taken");
  EXPECT_EQ(refused([](ModelConfig& c) { c.classDepth = 0; }), "model.class_depth");
  EXPECT_EQ(refused([](ModelConfig& c) { c.classToken = false; }), "model.class_token");
  EXPECT_EQ(refused([](ModelConfig& c) { c.distilled = true; }), "model.distilled");
  EXPECT_EQ(refused([](ModelConfig& c) { c.depths = {1, 1}; }), "model.depths");
  EXPECT_EQ(refused([](ModelConfig& c) { c.attention["window"] = 3; }), "model.attention.window");
}

}  // namespace
}  // namespace headlight
