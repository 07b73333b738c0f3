// SPDX-License-Identifier: GPL-3.0-or-later

// MViTv2 and Castling-MViTv2: timm's logits, grids and masks stage by stage.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/attention/linear/LinearAngular.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Golden.h"
#include "tests/models/Refusals.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

std::shared_ptr<Model> mvitMicro(const std::string& mechanism = "softmax") {
  ModelConfig config = findPublishedModel("mvitv2_micro")->config;
  config.mechanism = mechanism;
  const auto model = makeModel(config, 4);
  model->eval();
  return model;
}

/// With the weights of timm's golden file: random ones are so small that masks hardly matter.
std::shared_ptr<Model> mvitGolden() {
  const auto model = mvitMicro();
  giveGoldenWeights(*model, goldenFile("mvitv2_micro.safetensors"));
  return model;
}

TEST(Mvit, GivesTimmsLogits) {
  const auto io = goldenTensors("mvitv2_micro.io.safetensors");
  const at::NoGradGuard noGrad;
  EXPECT_LT((mvitGolden()->forward(io.at("input")) - io.at("logits")).abs().max().item<float>(),
            1e-4);
}

TEST(Mvit, MapsLieOnTheGridOfTheQueries) {
  for (const std::string mechanism : {"softmax", "linear_angular"}) {
    const auto model = mvitMicro(mechanism);
    const at::NoGradGuard noGrad;
    CollectingHook tap;
    model->forward(at::randn({2, 3, 64, 64}), &tap);
    const std::vector<int> sides{16, 8, 8}, heads{1, 2, 2};
    for (int l = 0; l < 3; ++l) {
      EXPECT_EQ(model->grid(l), (Grid{sides[l], sides[l], 0}));
      const std::int64_t tokens = model->grid(l).tokens();
      EXPECT_EQ(tap.maps.at(l).sizes(), (std::vector<std::int64_t>{2, heads[l], tokens, tokens}));
      if (mechanism == "softmax") {
        EXPECT_LT((tap.maps.at(l).sum(-1) - 1).abs().max().item<float>(), 1e-5);
      }
    }
    EXPECT_EQ(model->mapIsSigned(), mechanism == "linear_angular");
    EXPECT_NE(model->mapMeaning().find("pooled keys"), std::string::npos);
  }
}

TEST(Mvit, MasksActOnTheSoftmaxAndAreRefusedWithoutOne) {
  const auto model = mvitGolden();
  const at::Tensor images = at::randn({1, 3, 64, 64});
  const at::NoGradGuard noGrad;
  const at::Tensor open = model->forward(images);
  for (const std::string text : {"hard:3", "soft:3@0.3", "strict:3", "random:3#2"})
    for (int l = 0; l < model->layers(); ++l) {
      MaskScheme scheme(model->masks().shape());
      scheme.set(l, model->heads(l) - 1, *headMaskFromText(text));
      model->setMasks(scheme);
      EXPECT_GT((model->forward(images) - open).abs().max().item<float>(), 1e-3) << text << l;
    }
  model->setMasks(MaskScheme(model->masks().shape()));
  EXPECT_TRUE(at::equal(model->forward(images), open));

  const auto castling = mvitMicro("linear_angular");
  EXPECT_EQ(castling->masks().maskableLayers(), 0);
  MaskScheme scheme(castling->masks().shape());
  scheme.set(0, 0, *headMaskFromText("hard:3"));
  EXPECT_THROW(castling->setMasks(scheme), Failure);
}

TEST(Mvit, LinearAngularAttentionReplacesTheSoftmaxWithinStagesOrEverywhere) {
  ModelConfig config = findPublishedModel("castling_mvitv2_tiny")->config;
  config = shrunk(config);
  const auto linearLayers = [&] {
    std::vector<int> result;
    const auto model = makeModel(config, 0);
    for (int l = 0; l < model->layers(); ++l)
      if (dynamic_cast<Castling*>(&model->attention(l))) result.push_back(l);
    return result;
  };
  EXPECT_EQ(linearLayers(), (std::vector<int>{0, 1, 3, 5, 7}));  // two blocks a stage
  config.layout["linear_leading"] = true;
  EXPECT_EQ(linearLayers().size(), 8u);
}

TEST(Mvit, GridsNeedNotBeSquareNorDivide) {
  for (const std::string name : {"mvitv2_tiny", "castling_mvitv2_tiny"}) {
    ModelConfig config = shrunk(findPublishedModel(name)->config);
    config.imageSize = 20;  // 5 × 7 patches, then 3 × 4, 2 × 2, 1 × 1
    config.imageWidth = 28;
    const auto model = makeModel(config, 1);
    EXPECT_EQ(model->grid(0), (Grid{5, 7, 0}));
    EXPECT_EQ(model->grid(2), (Grid{3, 4, 0}));
    EXPECT_EQ(model->grid(7), (Grid{1, 1, 0}));
    const at::Tensor logits = model->forward(at::randn({2, 3, 20, 28}));
    EXPECT_TRUE(logits.isfinite().all().item<bool>());
    std::int64_t parameters = 0;
    for (const auto& [key, tensor] : model->trainable())
      parameters += tensor.numel();
    EXPECT_EQ(parameters, modelCost(config).parameters) << name;
  }
}

/// The first stage's width as the config gives it, not as `width` would have it.
TEST(Mvit, TheFirstStageIsAsWideAsItsConfigSays) {
  ModelConfig config = shrunk(findPublishedModel("mvitv2_micro")->config);
  config.positions = "learned";
  config.stageHeads = {2, 2};
  config.stageWidths = {12, 20};
  const auto model = makeModel(config, 1);
  const at::Tensor images = at::randn({2, 3, config.imageSize, config.imageSize});
  EXPECT_EQ(model->embed(images).size(2), 12);
  EXPECT_EQ(model->forward(images).sizes(), (std::vector<std::int64_t>{2, 7}));
  std::int64_t parameters = 0;
  for (const auto& [key, tensor] : model->trainable())
    parameters += tensor.numel();
  EXPECT_EQ(parameters, modelCost(config).parameters);
}

TEST(Mvit, CountsAreTimms) {
  EXPECT_EQ(modelCost(findPublishedModel("mvitv2_tiny")->config).parameters, 24173320);
  EXPECT_EQ(modelCost(findPublishedModel("mvitv2_small")->config).parameters, 34870216);
  EXPECT_EQ(modelCost(findPublishedModel("mvitv2_base")->config).parameters, 51472744);
}

/// What the note of these models says was tried.
TEST(Mvit, TheOtherReadingOfCastlingFallsShortOfThePublishedCost) {
  for (const char* name : {"castling_mvitv2_tiny", "castling_mvitv2_small"}) {
    const PublishedModel& model = *findPublishedModel(name);
    EXPECT_NE(model.note.find("7 to 8 %"), std::string::npos) << name;
    ModelConfig config = model.config;
    config.layout["linear_leading"] = true;
    const double share = modelCost(config).macs / 1e9 / model.publishedMacsG;
    EXPECT_GT(share, 0.915) << name;
    EXPECT_LT(share, 0.935) << name;
  }
}

TEST(Mvit, RefusesWhatItIsNotWithThePath) {
  const auto refused = [](const std::function<void(ModelConfig&)>& edit) -> std::string {
    ModelConfig config = shrunk(findPublishedModel("mvitv2_micro")->config);
    edit(config);
    return refusedAt(config);
  };
  EXPECT_EQ(refused([](ModelConfig&) {}), "taken");
  EXPECT_EQ(refused([](ModelConfig& c) { c.classToken = true; }), "model.class_token");
  EXPECT_EQ(refused([](ModelConfig& c) { c.classDepth = 1; }), "model.class_depth");
  EXPECT_EQ(refused([](ModelConfig& c) { c.layerScale = 0.1; }), "model.layer_scale");
  EXPECT_EQ(refused([](ModelConfig& c) { c.mechanism = "talking_heads"; }), "model.mechanism");
  EXPECT_EQ(refused([](ModelConfig& c) { c.layout["key_stride"] = 0; }), "model.layout.key_stride");
  EXPECT_EQ(refused([](ModelConfig& c) { c.layout["stride"] = 2; }), "model.layout.stride");
}

}  // namespace
}  // namespace headlight
