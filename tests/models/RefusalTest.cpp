// SPDX-License-Identifier: GPL-3.0-or-later

// What a backbone or a mechanism cannot be is refused with its path, before anything is built, and
// counting refuses what building does.

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "core/config/Catalog.h"
#include "core/models/Backbones.h"
#include "tests/models/Refusals.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

using Change = std::function<void(ModelConfig&)>;

/// A small model of every backbone.
std::map<std::string, ModelConfig> smallOnes() {
  std::map<std::string, ModelConfig> configs;
  for (const auto& published : publishedModels())
    configs.emplace(published.config.backbone, shrunk(published.config));
  return configs;
}

std::string changedConfig(ModelConfig config, const Change& change) {
  change(config);
  return refusedAt(config);
}

TEST(Refusals, BuildingAndCountingAgreeForEveryBackbone) {
  const std::vector<Change> changes{
      [](auto&) {},
      [](auto& c) {
        c.depths = {2, 2};
      },
      [](auto& c) { c.depths.clear(); },
      [](auto& c) { c.classDepth = c.classDepth > 0 ? 0 : 2; },
      [](auto& c) { c.classToken = !c.classToken; },
      [](auto& c) { c.distilled = !c.distilled; },
      [](auto& c) { c.positions = c.positions == "none" ? "learned" : "none"; },
      [](auto& c) { c.layerScale = 0.1; },
      [](auto& c) { c.qkvBias = !c.qkvBias; },
      [](auto& c) { c.patchSize *= 2; },
      [](auto& c) { c.mechanism = "softmax", c.attention = Json::object(); },
      [](auto& c) {
        c.mechanism = "window", c.attention = {{"window", 3}};
      },
      [](auto& c) {
        c.mechanism = "aft_local", c.attention = {{"window", 0}, {"global", false}};
      },
      [](auto& c) {
        c.mechanism = "aft_conv", c.attention = {{"kernel", 4}};
      },
      [](auto& c) {
        c.mechanism = "learned_mask", c.attention = {{"fidelity", 2}};
      },
      [](auto& c) {
        c.mechanism = "linear_angular", c.attention = {{"residual_kernel", 2}};
      },
  };
  const auto configs = smallOnes();
  EXPECT_EQ(configs.size(), backbones().size());
  for (const auto& [backbone, config] : configs) {
    EXPECT_EQ(refusedAt(config), "taken") << backbone;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      SCOPED_TRACE(backbone + ", change " + std::to_string(i));
      ModelConfig other = config;
      changes[i](other);
      refusedAt(other);
    }
  }
}

TEST(Refusals, SharedParametersThatABackboneDoesNotTake) {
  const auto configs = smallOnes();
  const auto at = [&](const std::string& backbone, const Change& change) {
    return changedConfig(configs.at(backbone), change);
  };
  for (const std::string flat : {"vit", "convit", "cait"})
    EXPECT_EQ(at(flat, [](auto& c) { c.depths = {2, 2}; }), "model.depths") << flat;
  for (const std::string plain : {"vit", "convit", "levit", "mvitv2", "swin"})
    EXPECT_EQ(at(plain, [](auto& c) { c.classDepth = 2; }), "model.class_depth") << plain;
  for (const std::string averaged : {"levit", "mvitv2", "swin"})
    EXPECT_EQ(at(averaged, [](auto& c) { c.classToken = true; }), "model.class_token") << averaged;
  for (const std::string single : {"convit", "cait", "mvitv2", "swin"})
    EXPECT_EQ(at(single, [](auto& c) { c.distilled = true; }), "model.distilled") << single;
  for (const std::string unscaled : {"levit", "mvitv2"})
    EXPECT_EQ(at(unscaled, [](auto& c) { c.layerScale = 0.1; }), "model.layer_scale") << unscaled;
  EXPECT_EQ(at("cait", [](auto& c) { c.classDepth = 0; }), "model.class_depth");
  EXPECT_EQ(at("cait", [](auto& c) { c.classToken = false; }), "model.class_token");
  EXPECT_EQ(at("levit", [](auto& c) { c.qkvBias = false; }), "model.qkv_bias");
  EXPECT_EQ(at("vit", [](auto& c) { c.classToken = false, c.distilled = true; }),
            "model.distilled");
  EXPECT_EQ(at("levit", [](auto& c) { c.distilled = !c.distilled; }), "taken");
}

TEST(Refusals, EveryFixedParameterIsAModelParameterOfItsType) {
  for (const auto& backbone : backbones())
    for (const auto& [name, value, why] : backbone.variant.fixed) {
      const Parameter* parameter = findParameter(modelParameters(), name);
      ASSERT_NE(parameter, nullptr) << backbone.variant.name << " " << name;
      EXPECT_TRUE(checkParameter(*parameter, value, name).ok()) << name;
      EXPECT_FALSE(why.empty()) << name;
    }
}

TEST(Refusals, WhatCountingOnceTook) {
  ModelConfig vit = findPublishedModel("vit_micro")->config;
  EXPECT_EQ(changedConfig(vit, [](auto& c) { c.depths = {2, 2}; }), "model.depths");
  vit.mechanism = "aft_local";
  EXPECT_EQ(changedConfig(vit,
                          [](auto& c) {
                            c.attention = {{"window", 0}, {"global", false}};
                          }),
            "model.attention.window");
  vit.mechanism = "aft_full";
  vit.imageSize = 512;  // 128 × 128 patches
  EXPECT_EQ(changedConfig(vit,
                          [](auto& c) {
                            c.attention = {{"factorized", false}};
                          }),
            "model.attention.factorized");
  ModelConfig lsla = shrunk(findPublishedModel("vit_lsla")->config);
  EXPECT_EQ(changedConfig(lsla, [](auto& c) { c.patchSize = 8; }), "model.patch_size");
  EXPECT_EQ(changedConfig(lsla,
                          [](auto& c) {
                            c.stageWidths = {9, 18, 36, 72};
                          }),
            "model.stage_widths");
}

}  // namespace
}  // namespace headlight
