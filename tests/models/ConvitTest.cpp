// SPDX-License-Identifier: GPL-3.0-or-later

// ConViT against timm's golden vectors, its counts, and where its class token joins; IBiT's recipe.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Golden.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

TEST(ConViT, GivesTheLogitsOfTheGoldenFile) {
  const auto model = makeModel(findPublishedModel("convit_micro")->config, 0);
  giveGoldenWeights(*model, goldenFile("convit_micro.safetensors"));
  const at::NoGradGuard noGrad;
  const auto io = goldenTensors("convit_micro.io.safetensors");
  EXPECT_LT((model->forward(io.at("input")) - io.at("logits")).abs().max().item<double>(), 1e-4);
}

TEST(ConViT, CountsAreTimms) {
  const auto parameters = [](const char* name) {
    return modelCost(findPublishedModel(name)->config).parameters;
  };
  EXPECT_EQ(parameters("convit_tiny"), 5710512);
  EXPECT_EQ(parameters("convit_small"), 27777322);
  EXPECT_EQ(parameters("convit_base"), 86540040);
}

TEST(ConViT, TheClassTokenJoinsAfterTheLocalBlocks) {
  const auto model = makeModel(findPublishedModel("convit_micro")->config, 1);
  model->eval();
  model->setMasks(*makeMaskPreset("sch1", model->masks().shape()));
  CollectingHook tap;
  const at::NoGradGuard noGrad;
  model->forward(at::randn({2, 3, 32, 32}), &tap);
  for (const int layer : {0, 1, 2}) {
    EXPECT_EQ(model->grid(layer), (Grid{8, 8, layer < 2 ? 0 : 1}));
    const std::int64_t tokens = model->grid(layer).tokens();
    EXPECT_EQ(tap.maps.at(layer).sizes(), (std::vector<std::int64_t>{2, 4, tokens, tokens}));
    EXPECT_LT((tap.maps.at(layer).sum(-1) - 1).abs().max().item<double>(), 1e-5);
  }
}

TEST(ConViT, StartsLocallyAndPlainAfterwards) {
  const auto model = makeModel(findPublishedModel("convit_micro")->config, 1);
  for (const auto& [name, tensor] : model->trainable()) {
    if (name == "blocks.1.attn.v.weight") {
      EXPECT_TRUE(at::equal(tensor, at::eye(48)));
    }
    if (name == "blocks.1.attn.pos_proj.weight") {
      EXPECT_TRUE(at::equal(
          tensor,
          at::tensor({-1, -1, -1, -1, 1, -1, 1, -1, -1, 1, 1, -1}).view({4, 3}).to(at::kFloat)));
    }
    if (name == "blocks.2.attn.qkv.weight") {
      EXPECT_NEAR(tensor.std().item<double>(), 0.02, 0.002);
    }
  }
}

TEST(ConViT, TakesAnyNumberOfLocalBlocksAndOtherMechanisms) {
  ModelConfig config = shrunk(findPublishedModel("convit_micro")->config);
  const at::Tensor images = at::randn({2, 3, 32, 32});
  for (const bool classToken : {true, false})
    for (const int local : {0, 1, 12})
      for (const std::string mechanism : {"gated_positional", "softmax", "learned_mask"}) {
        config.classToken = classToken;
        config.layout["local_layers"] = local;
        config.mechanism = mechanism;
        config.attention = Json::object();
        const auto model = makeModel(config, 0);
        EXPECT_EQ(model->forward(images).sizes(), (std::vector<std::int64_t>{2, 7}));
        std::int64_t parameters = 0;
        for (const auto& [name, tensor] : model->trainable())
          parameters += tensor.numel();
        EXPECT_EQ(parameters, modelCost(config).parameters);
        EXPECT_EQ(model->grid(2).prefix, classToken ? 1 : 0);
      }
}

TEST(ConViT, RefusesNonsenseAtItsPath) {
  const auto refusedAt = [](const Json& change) -> std::string {
    Json json = modelToJson(findPublishedModel("convit_micro")->config);
    json.update(change);
    try {
      makeModel(valueOrThrow(modelFromJson(json, modelCatalog())), 0);
    } catch (const Failure& failure) {
      return failure.error().where;
    }
    return "nowhere";
  };
  EXPECT_EQ(refusedAt(Json::object()), "nowhere");
  EXPECT_EQ(refusedAt({{"distilled", true}}), "model.distilled");
  EXPECT_EQ(refusedAt({{"class_depth", 2}}), "model.class_depth");
  EXPECT_EQ(refusedAt({{"layout", {{"local_layers", -1}}}}), "model.layout.local_layers");
  EXPECT_EQ(refusedAt({{"layout", {{"local", 1}}}}), "model.layout.local");
  EXPECT_EQ(refusedAt({{"backbone", "vit"}, {"layout", Json::object()}}), "model.mechanism");
}

TEST(Ibit, IsDeitWithLearnedMasks) {
  const auto* tiny = findPublishedModel("ibit_tiny");
  const ModelCost cost = modelCost(tiny->config),
                  deit = modelCost(findPublishedModel("deit_tiny")->config);
  EXPECT_EQ(cost.parameters, deit.parameters + 12 * 2 * 3 * 196 * 9);
  EXPECT_EQ(cost.macs, deit.macs);
}

/// Table 5: drop path on the attention branch alone. With attention that adds nothing, training
/// is then as evaluation.
TEST(Ibit, DropPathSparesTheMlp) {
  ModelConfig config = shrunk(findPublishedModel("ibit_tiny")->config);
  config.dropPath = 0.5;
  config.dropPathMode = "constant";
  const at::Tensor images = at::randn({16, 3, 32, 32});
  const at::NoGradGuard noGrad;
  for (const bool dropped : {false, true}) {
    config.layout["mlp_drop_path"] = dropped;
    const auto model = makeModel(config, 3);
    const auto gap = [&] {
      model->train();
      const at::Tensor trained = model->forward(images);
      model->eval();
      return (trained - model->forward(images)).abs().max().item<double>();
    };
    EXPECT_GT(gap(), 1e-6);
    for (auto& [name, tensor] : model->trainable())
      if (name.find("attn.proj") != std::string::npos) at::Tensor(tensor).zero_();
    EXPECT_EQ(gap() > 1e-6, dropped);
  }
}

}  // namespace
}  // namespace headlight
