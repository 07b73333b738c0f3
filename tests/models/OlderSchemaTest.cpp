// SPDX-License-Identifier: GPL-3.0-or-later

// What configs of older schemas meant by what they leave out, and what models say of their layers.

#include <gtest/gtest.h>

#include <set>

#include "core/config/Experiment.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"

namespace headlight {
namespace {

Json attentionOf(const std::string& text) {
  auto read = experimentFromText(text, "x.json", modelCatalog());
  EXPECT_TRUE(read.ok()) << text;
  return completed(valueOrThrow(std::move(read)).model, modelCatalog()).attention;
}

TEST(OlderSchema, LslaPadsAfterTheShiftUnlessItSaysOtherwise) {
  const std::string lsla = R"("model": {"name": "vit_lsla"})";
  for (const char* schema : {"1", "2"})
    EXPECT_EQ(attentionOf(R"({"schema": )" + std::string(schema) + ", " + lsla + "}")["padding"],
              "after_shift");
  EXPECT_EQ(attentionOf("{" + lsla + "}")["padding"], "before_shift");
  EXPECT_EQ(attentionOf(R"({"schema": 3, )" + lsla + "}")["padding"], "before_shift");
  EXPECT_EQ(attentionOf(R"({"schema": 2, "model": {"name": "vit_lsla",
                            "attention": {"padding": "before_shift"}}})")["padding"],
            "before_shift");
  // Other options stay as they are, and other mechanisms get none of it.
  const Json some = attentionOf(R"({"schema": 2, "model": {"name": "vit_lsla",
                                    "attention": {"window": 5}}})");
  EXPECT_EQ(some["window"], 5);
  EXPECT_EQ(some["padding"], "after_shift");
  EXPECT_FALSE(attentionOf(R"({"schema": 2, "model": {"name": "swin_tiny"}})").contains("padding"));
}

TEST(OlderSchema, LearnedMasksEndAtAnAbsoluteError) {
  EXPECT_EQ(attentionOf(R"({"schema": 2, "model": {"mechanism": "learned_mask"}})")["fit"],
            "absolute");
  EXPECT_EQ(attentionOf(R"({"model": {"mechanism": "learned_mask"}})")["fit"], "relative");
}

TEST(OlderSchema, WhatIsWrittenKeepsTheRule) {
  const Experiment old = valueOrThrow(experimentFromText(
      R"({"schema": 2, "model": {"name": "vit_lsla"}})", "x.json", modelCatalog()));
  const std::string written = experimentToText(old);
  EXPECT_EQ(Json::parse(written)["schema"], Experiment::kSchema);
  EXPECT_EQ(attentionOf(written)["padding"], "after_shift");
}

/// Where windows do not divide the grid: at 256 pixels, not at 224.
TEST(Notices, AreOfWindowsThatJoinOppositeEdges) {
  const auto noticesOf = [](const std::string& name, int pixels, const char* padding = nullptr) {
    ModelConfig config = findPublishedModel(name)->config;
    config.imageSize = pixels;
    if (padding) config.attention["padding"] = padding;
    return modelCost(config).notices;
  };
  EXPECT_EQ(noticesOf("swin_tiny", 256).size(), 1u);
  EXPECT_TRUE(noticesOf("swin_tiny", 224).empty());
  EXPECT_TRUE(noticesOf("vit_lsla", 256).empty());
  EXPECT_EQ(noticesOf("vit_lsla", 256, "after_shift").size(), 1u);
  EXPECT_TRUE(noticesOf("vit_lsla", 224, "after_shift").empty());
}

TEST(Notices, StandInTheMeaningOfMaps) {
  ModelConfig config = findPublishedModel("swin_tiny")->config;
  config.depths = {2, 2};
  config.stageWidths = {8, 16};
  config.stageHeads = {1, 2};
  for (const int pixels : {32, 28}) {
    config.imageSize = pixels;
    config.attention["window"] = 7;  // of 8 x 8, of 7 x 7 patches
    const std::string meaning = makeModel(config, 0)->mapMeaning();
    EXPECT_EQ(meaning.find("opposite edges") != std::string::npos, pixels == 32) << meaning;
    EXPECT_EQ(meaning.find("opposite edges"), meaning.rfind("opposite edges"));
  }
}

/// What summary --layers lists.
TEST(Costs, EveryLayerIsListedOnce) {
  std::vector<ModelConfig> configs;
  for (const auto& model : publishedModels())
    configs.push_back(model.config);
  ModelConfig grid = findPublishedModel("deit_tiny_patch16_224")->config;
  grid.mechanism = "linear_angular";
  grid.attention = {{"residual", "grid"}};
  configs.push_back(grid);
  for (const ModelConfig& config : configs) {
    std::set<std::string> names;
    for (const LayerCost& layer : modelCost(config).layers)
      EXPECT_TRUE(names.insert(layer.name).second) << config.name << ": " << layer.name;
  }
}

}  // namespace
}  // namespace headlight
