// SPDX-License-Identifier: GPL-3.0-or-later

// When two configs describe one model, and when weights of one are weights of the other.

#include <gtest/gtest.h>

#include <functional>

#include "core/models/Registry.h"

namespace headlight {
namespace {

using Change = std::function<void(ModelConfig&)>;

ModelConfig changed(const ModelConfig& config, const Change& change) {
  ModelConfig result = config;
  change(result);
  return result;
}

TEST(SameModel, DefaultsMayBeSpelledOut) {
  for (const auto& published : publishedModels()) {
    const ModelConfig& config = published.config;
    ModelConfig spelled = completed(config, modelCatalog());
    spelled.name = "mine";
    spelled.imageWidth = config.imageWidthPixels();
    for (int stage = 0; config.staged() && stage < config.stages(); ++stage) {
      if (config.stageWidths.empty()) spelled.stageWidths.push_back(config.stageWidth(stage));
      if (config.stageHeads.empty()) spelled.stageHeads.push_back(config.stageHeadCount(stage));
    }
    EXPECT_TRUE(sameModel(config, spelled)) << published.name;
    EXPECT_TRUE(sameArchitecture(spelled, config)) << published.name;
  }
}

TEST(SameArchitecture, IsWhatWeightsDependOn) {
  const ModelConfig cait = findPublishedModel("cait_xxs24_224")->config;
  for (const Change& change : std::vector<Change>{
           [](ModelConfig& m) { m.classDepth = 1; }, [](ModelConfig& m) { m.qkvBias = false; },
           [](ModelConfig& m) { m.positions = "none"; }, [](ModelConfig& m) { m.depth = 12; },
           [](ModelConfig& m) { m.mlpRatio = 3; }, [](ModelConfig& m) { m.normEpsilon = 1e-5; },
           [](ModelConfig& m) { m.layerScale = 0; }, [](ModelConfig& m) { m.patchSize = 32; }})
    EXPECT_FALSE(sameArchitecture(cait, changed(cait, change)));
  for (const Change& change : std::vector<Change>{
           [](ModelConfig& m) { m.classes = 9; }, [](ModelConfig& m) { m.imageSize = 384; },
           [](ModelConfig& m) { m.dropPath = 0.4; }, [](ModelConfig& m) { m.layerScale = 0.5; },
           [](ModelConfig& m) {
             m.mean = {0.5, 0.5, 0.5};
           },
           [](ModelConfig& m) { m.interpolation = "bilinear"; }}) {
    EXPECT_TRUE(sameArchitecture(cait, changed(cait, change)));
    EXPECT_FALSE(sameModel(cait, changed(cait, change)));
  }
}

TEST(SameArchitecture, ComparesMechanismsWithTheirOptions) {
  const ModelConfig deit = findPublishedModel("deit_tiny")->config;
  const ModelConfig aft = changed(deit, [](ModelConfig& m) { m.mechanism = "aft_full"; });
  EXPECT_FALSE(sameArchitecture(deit, aft));  // as many heads and patches all the same
  const ModelConfig conv = findPublishedModel("aft_conv_tiny_11_32")->config;
  EXPECT_TRUE(
      sameArchitecture(conv, changed(conv, [](ModelConfig& m) { m.attention["kernel"] = 11; })));
  EXPECT_FALSE(
      sameArchitecture(conv, changed(conv, [](ModelConfig& m) { m.attention["kernel"] = 7; })));
}

}  // namespace
}  // namespace headlight
