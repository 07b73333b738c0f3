// SPDX-License-Identifier: GPL-3.0-or-later

// The plain vision transformers beyond DeiT: timm's outputs, attention and features for a small
// model of each family, opened by what their files say; the sizes of all names.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/models/Registry.h"
#include "core/models/backbones/FinalNorm.h"
#include "core/workbench/identify/IdentifyModel.h"
#include "tests/models/Golden.h"

namespace headlight {
namespace {

double worst(const at::Tensor& a, const at::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  return (a - b).abs().max().item<double>();
}

class Zoo : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string name = std::string("zoo/") + GetParam() + "_micro";
    const Checkpoint file = goldenFile(name + ".safetensors");
    std::vector<std::string> notes;
    m_model = makeModel(identifyModel(file, notes), 4);
    giveGoldenWeights(*m_model, file);
    m_io = goldenTensors(name + ".io.safetensors");
  }

  at::Tensor tokens(AttentionHook* tap = nullptr) {
    at::Tensor tokens = m_model->embed(m_io.at("input"));
    for (int l = 0; l < m_model->layers(); ++l)
      tokens = m_model->block(l, tokens, tap);
    return tokens;
  }

  std::shared_ptr<Model> m_model;
  std::map<std::string, at::Tensor> m_io;
  const at::NoGradGuard m_noGrad;
};

/// timm calls what a model without a classifier gives its logits: the pooled features.
TEST_P(Zoo, GivesTimmsLogitsOrPooledFeatures) {
  const at::Tensor last = tokens();
  const bool classifies = m_model->config().classes > 0;
  EXPECT_LT(worst(classifies ? m_model->classify(last) : m_model->pooledFeatures(last),
                  m_io.at("logits")),
            1e-4);
  if (!classifies) {
    EXPECT_EQ(m_model->classify(last).sizes(), (std::vector<std::int64_t>{2, 0}));
  }
}

TEST_P(Zoo, GivesTimmsAttention) {
  CollectingHook tap;
  tokens(&tap);
  ASSERT_EQ(tap.maps.size(), 3u);
  for (const auto& [layer, map] : tap.maps)
    EXPECT_LT(worst(map, m_io.at("attention." + std::to_string(layer))), 1e-5) << layer;
}

TEST_P(Zoo, GivesTimmsFeatures) {
  EXPECT_LT(worst(finalNormed(*m_model, tokens()).tokens, m_io.at("features")), 1e-4);
}

/// Hard masks act on these logits too: the rows still sum to 1, and what they say changes.
TEST_P(Zoo, TakesMasks) {
  const at::Tensor open = tokens();
  m_model->setMasks(*makeMaskPreset("sch1", m_model->masks().shape()));
  CollectingHook tap;
  EXPECT_GT(worst(tokens(&tap), open), 1e-4);
  EXPECT_LT((tap.maps.at(0).sum(-1) - 1).abs().max().item<double>(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Families, Zoo,
                         ::testing::Values("aimv2", "beit", "beit3", "clip", "clip_quickgelu",
                                           "deit3", "dino", "dinov2", "dinov2_giant", "dinov2_reg",
                                           "dinov3", "eva02", "intern", "pe_core", "pe_spatial",
                                           "pooled_registers", "post_norm", "rope_axial",
                                           "rope_mixed", "siglip", "vit_gap"),
                         [](const auto& info) { return std::string(info.param); });

/// As timm's patch embedding: what fills no patch is not seen.
TEST(ZooSizes, WhatFillsNoPatchIsCut) {
  ModelConfig config = findPublishedModel("vit_micro")->config;
  const auto exact = makeModel(config, 3);
  config.imageSize = 35;
  EXPECT_THROW(makeModel(config, 3), Failure);
  config.layout["cut_remainder"] = true;
  const auto cut = makeModel(config, 3);
  const at::NoGradGuard noGrad;
  const at::Tensor images = at::randn({2, 3, 35, 35});
  EXPECT_TRUE(at::equal(cut->embed(images), exact->embed(images.slice(2, 0, 32).slice(3, 0, 32))));
  EXPECT_EQ(findPublishedModel("vit_so400m_patch14_siglip_384")->config.grid().rows, 27);
}

TEST(ZooSizes, AreTimmsOwn) {
  std::ifstream file(HEADLIGHT_GOLDEN_DIR "/timm_parameters.json");
  const Json sizes = Json::parse(file).at("parameters");
  EXPECT_GE(sizes.size(), 227u);
  for (const auto& [name, parameters] : sizes.items()) {
    const PublishedModel* model = findPublishedModel(name);
    ASSERT_NE(model, nullptr) << name;
    EXPECT_EQ(model->name, name);
    EXPECT_EQ(modelCost(model->config).parameters, parameters.get<std::int64_t>()) << name;
  }
}

}  // namespace
}  // namespace headlight
