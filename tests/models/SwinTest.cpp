// SPDX-License-Identifier: GPL-3.0-or-later

// Swin against timm's vectors, H-MaiT and ViT-LSLA against their published sizes, and what holds
// for every model with stages.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

#include "core/attention/Mechanisms.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Golden.h"
#include "tests/models/Refusals.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

ModelConfig configOf(const std::string& name) {
  return findPublishedModel(name)->config;
}

/// A model with exactly these weights.
std::shared_ptr<Model> withWeights(const ModelConfig& config,
                                   const std::map<std::string, at::Tensor>& weights) {
  const auto model = makeModel(config, 0);
  const at::NoGradGuard noGrad;
  std::size_t copied = 0;
  for (auto& [name, tensor] : model->state()) {
    const auto found = weights.find(name);
    if (found == weights.end()) {
      ADD_FAILURE() << "timm has no " << name;
      continue;
    }
    EXPECT_EQ(tensor.sizes(), found->second.sizes()) << name;
    tensor.copy_(found->second);
    ++copied;
  }
  EXPECT_EQ(copied, weights.size());
  model->eval();
  return model;
}

constexpr double kLogitsTolerance = 1e-4;

TEST(Swin, GivesTimmsLogits) {
  const auto model = withWeights(configOf("swin_micro"), goldenTensors("swin_micro.safetensors"));
  const auto io = goldenTensors("swin_micro.io.safetensors");
  const at::NoGradGuard noGrad;
  const at::Tensor logits = model->forward(io.at("input"));
  EXPECT_LT((logits - io.at("logits")).abs().max().item<double>(), kLogitsTolerance);
}

TEST(Swin, GivesTimmsLogitsWhereWindowsDoNotDivideTheGrid) {
  auto tensors = goldenTensors("swin_padded.safetensors");
  const at::Tensor input = tensors.at("input"), expected = tensors.at("logits");
  tensors.erase("input");
  tensors.erase("logits");
  ModelConfig config = configOf("swin_micro");
  config.width = 8;
  config.imageSize = 52;
  config.imageWidth = 44;
  config.classes = 5;
  const auto model = withWeights(config, tensors);
  EXPECT_EQ(model->grid(0), (Grid{13, 11, 0}));
  EXPECT_EQ(model->grid(3), (Grid{7, 6, 0}));
  const at::NoGradGuard noGrad;
  EXPECT_LT((model->forward(input) - expected).abs().max().item<double>(), kLogitsTolerance);
}

TEST(Swin, CountsAsTimmAndAsThePapers) {
  EXPECT_EQ(modelCost(configOf("swin_tiny")).parameters, 28288354);  // timm's own
  EXPECT_EQ(modelCost(configOf("swin_small")).parameters, 49606258);
  // H-MaiT without its masks: attention over 56 × 56 patches costs as much as all the rest.
  const auto& tiny = *findPublishedModel("h_mait_tiny");
  EXPECT_NEAR(publishedCost(tiny).macs / 1e9, 4.5, 0.05 * 4.5);
  EXPECT_GT(modelCost(tiny.config).macs / 1e9, 8);
}

TEST(Swin, AMaskedHeadCostsItsNeighborhood) {
  ModelConfig config = shrunk(configOf("h_mait_tiny"));
  MaskScheme scheme(makeMaskShape(config));
  const std::int64_t open = modelCost(config, scheme).macs;
  EXPECT_EQ(open, modelCost(config).macs);
  scheme.set(0, 1, *headMaskFromText("hard:3"));
  // 8 × 8 patches: 64² pairs become (3·8 − 2)²; heads are 8 wide; QKᵀ and AV.
  EXPECT_EQ(open - modelCost(config, scheme).macs, 2 * 8 * (64 * 64 - 22 * 22));
  scheme.set(0, 1, *headMaskFromText("soft:3"));
  EXPECT_EQ(modelCost(config, scheme).macs, open);
  EXPECT_THROW(modelCost(config, MaskScheme(8, 3)), Failure);
}

/// Every kind of staged model, small.
std::vector<ModelConfig> smallModels() {
  std::vector<ModelConfig> configs;
  for (const char* name : {"swin_tiny", "h_mait_tiny", "vit_lsla", "vit_lsla_qxv", "vit_lsla_qkv",
                           "vit_lsla_no_projection"})
    configs.push_back(shrunk(configOf(name)));
  return configs;
}

TEST(Swin, LayersAreThoseOfAllStages) {
  for (const ModelConfig& config : smallModels()) {
    const auto model = makeModel(config, 0);
    ASSERT_EQ(model->layers(), 8) << config.name;
    const int sides[] = {8, 4, 2, 1};
    for (int l = 0; l < 8; ++l) {
      EXPECT_EQ(model->grid(l), (Grid{sides[l / 2], sides[l / 2], 0}));
      EXPECT_EQ(model->heads(l), 3 << l / 2);
    }
  }
}

TEST(Swin, TheTapGetsTheWholeGridOfEveryStageAndChangesNothing) {
  const at::NoGradGuard noGrad;
  for (const ModelConfig& config : smallModels()) {
    const auto model = makeModel(config, 1);
    model->eval();
    const at::Tensor images = at::randn({2, 3, 32, 32});
    CollectingHook tap;
    const at::Tensor tapped = model->forward(images, &tap);
    EXPECT_LT((tapped - model->forward(images)).abs().max().item<double>(), 1e-5) << config.name;
    ASSERT_EQ(tap.maps.size(), 8u);
    for (int l = 0; l < 8; ++l) {
      const std::int64_t tokens = model->grid(l).tokens();
      EXPECT_EQ(tap.maps[l].sizes(),
                (std::vector<std::int64_t>{2, model->heads(l), tokens, tokens}));
      if (model->mapIsSigned()) continue;
      EXPECT_LT((tap.maps[l].sum(-1) - 1).abs().max().item<double>(), 1e-5) << config.name;
    }
  }
}

TEST(Swin, EveryStageCanBeMasked) {
  const at::NoGradGuard noGrad;
  for (const ModelConfig& config : smallModels()) {
    const auto model = makeModel(config, 2);
    for (auto& [name, tensor] : model->trainable())
      if (name.ends_with("q.weight") || name.ends_with("qkv.weight")) tensor.normal_(0, 1);
    model->eval();
    const at::Tensor images = at::randn({1, 3, 32, 32});
    const at::Tensor open = model->forward(images);
    EXPECT_EQ(model->masks().maskableLayers(), 8);
    for (int l = 0; l < 6; ++l) {  // the last stage is one patch: nothing to mask
      MaskScheme scheme(model->masks().shape());
      scheme.set(l, 0, *headMaskFromText("strict:1"));
      model->setMasks(scheme);
      CollectingHook tap([l](int layer) { return layer == l; });
      EXPECT_FALSE(at::equal(model->forward(images, &tap), open)) << config.name << " " << l;
      if (model->mapIsSigned()) continue;
      const std::int64_t tokens = model->grid(l).tokens();
      EXPECT_LT((tap.maps[l][0][0] - at::eye(tokens)).abs().max().item<double>(), 1e-6);
    }
    model->setMasks(MaskScheme(model->masks().shape()));
    EXPECT_TRUE(at::equal(model->forward(images), open));
  }
}

TEST(Swin, TakesEveryGeneralMechanism) {
  for (const Mechanism& mechanism : mechanisms()) {
    if (mechanism.variant.special) continue;
    ModelConfig config = shrunk(configOf("swin_micro"));
    config.mechanism = mechanism.variant.name;
    config.attention = Json::object();
    const auto model = makeModel(config, 3);
    const at::Tensor logits = model->forward(at::randn({2, 3, 32, 32}));
    EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 7})) << config.mechanism;
    EXPECT_TRUE(logits.isfinite().all().item<bool>()) << config.mechanism;
  }
}

TEST(Swin, TheMasksOfHierarchicalMaitAreThePapers) {
  const auto& model = *findPublishedModel("h_mait_tiny");
  EXPECT_EQ(model.scheme, "hmait");
  const MaskScheme scheme = *makeMaskPreset(model.scheme, makeMaskShape(model.config));
  const std::vector<int> expected{3, 3, 6, 6, 4, 4, 4, 4, 4, 4, 0, 0};
  for (int l = 0; l < scheme.layers(); ++l) {
    int masked = 0;
    for (const HeadMask& mask : scheme.layer(l))
      masked += mask.kind == MaskKind::Hard;
    EXPECT_EQ(masked, expected[l]) << l;
  }
  const auto built = makeModel(shrunk(model.config), 0);
  std::set<std::string> names;
  for (const auto& [name, tensor] : built->trainable())
    names.insert(name);
  EXPECT_TRUE(names.count("pos_embed"));
  EXPECT_FALSE(names.count("layers.0.blocks.0.attn.relative_position_bias_table"));
}

TEST(Swin, LightModelsHaveTheirNames) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : makeModel(shrunk(configOf("vit_lsla")), 0)->trainable())
    names.insert(name);
  for (const std::string name :
       {"q.weight", "proj.weight", "dynamic_scale", "inner_bias_table", "outer_bias_table"})
    EXPECT_TRUE(names.count("layers.1.blocks.1.attn." + name)) << name;
  EXPECT_FALSE(names.count("layers.1.blocks.1.attn.k.weight"));
  EXPECT_TRUE(names.count("layers.1.downsample.reduction.weight"));
}

TEST(Swin, RefusesNonsense) {
  const ModelConfig config = shrunk(configOf("vit_lsla"));
  const auto changed = [&](const std::function<void(ModelConfig&)>& change) {
    ModelConfig other = config;
    change(other);
    return refusedAt(other);
  };
  EXPECT_EQ(refusedAt(config), "taken");
  EXPECT_EQ(changed([](auto& c) { c.classToken = true; }), "model.class_token");
  EXPECT_EQ(changed([](auto& c) { c.classToken = c.distilled = true; }), "model.distilled");
  EXPECT_EQ(changed([](auto& c) { c.classDepth = 2; }), "model.class_depth");
  EXPECT_EQ(changed([](auto& c) { c.patchSize = 8; }), "model.patch_size");
  EXPECT_EQ(changed([](auto& c) { c.layout = {{"stem", "wide"}}; }), "model.layout.stem");
  EXPECT_EQ(changed([](auto& c) { c.layout = {{"stam", "conv"}}; }), "model.layout.stam");
  EXPECT_EQ(changed([](auto& c) { c.attention["variant"] = "xxx"; }), "model.attention.variant");
  EXPECT_EQ(changed([](auto& c) { c.stageHeads = {3, 5, 12, 24}; }), "model.stage_heads");
  // Windows on a backbone with a class token: refused with a name to change.
  ModelConfig flat = shrunk(configOf("vit_micro"));
  flat.mechanism = "window";
  EXPECT_EQ(refusedAt(flat), "model.class_token");
  flat.classToken = false;
  EXPECT_EQ(refusedAt(flat), "taken");
}

}  // namespace
}  // namespace headlight
