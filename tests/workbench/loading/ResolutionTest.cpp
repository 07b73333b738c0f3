// SPDX-License-Identifier: GPL-3.0-or-later

// Looking at images of another size: as a model that is opened so, and back again exactly.

#include <gtest/gtest.h>

#include "core/models/Registry.h"
#include "core/workbench/loading/Resolution.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

ModelSource golden(const std::string& name) {
  ModelSource source;
  source.weights = HEADLIGHT_GOLDEN_DIR "/" + name + ".safetensors";
  return source;
}

RawImages noise(int height, int width) {
  RawImages images{1, height, width, {}};
  for (int i = 0; i < 3 * height * width; ++i)
    images.values.push_back(static_cast<float>((i * 7919) % 211) / 105.5f - 1);
  return images;
}

std::vector<float> answerOf(InferenceSession& session, const MaskScheme& masks) {
  const ModelConfig& model = session.info().experiment.model;
  const auto inferences = valueOrThrow(
      inferRaw(session, noise(model.imageHeightPixels(), model.imageWidthPixels()), masks, false));
  return inferences[0].logits.empty() ? inferences[0].features : inferences[0].logits;
}

TEST(Resolution, IsThatOfAModelOpenedSo) {
  for (const std::string name :
       {"vit_micro", "zoo/dinov2_reg_micro", "zoo/beit_micro", "zoo/eva02_micro",
        "zoo/dinov3_micro", "zoo/pe_core_micro", "zoo/rope_mixed_micro", "swin_micro"}) {
    const auto session = valueOrThrow(InferenceSession::open(golden(name)));
    const MaskShape shape = makeMaskShape(session->info().experiment.model);
    const MaskScheme masks = *makeMaskPreset("sch1", shape);
    const auto before = answerOf(*session, masks);
    const auto larger = valueOrThrow(session->atSize(48, 64, masks));
    EXPECT_EQ(larger->info().experiment.model.imageWidthPixels(), 64) << name;
    EXPECT_EQ(valueOrThrow(resolveMasks(larger->info().experiment.masks, shape)), masks) << name;

    ModelSource sized = golden(name);
    sized.imageHeight = 48;
    sized.imageWidth = 64;
    const auto opened = valueOrThrow(InferenceSession::open(sized));
    EXPECT_EQ(answerOf(*larger, masks), answerOf(*opened, masks)) << name;

    // However often: what was resampled is not resampled again.
    const ModelConfig& own = session->info().experiment.model;
    const auto back = valueOrThrow(
        valueOrThrow(larger->atSize(96, 0, masks))->atSize(own.imageSize, own.imageWidth, masks));
    EXPECT_EQ(answerOf(*back, masks), before) << name;
  }
}

TEST(Resolution, WhatItCostsIsTheModelsOwnCount) {
  const ModelConfig config = findPublishedModel("vit_small_patch14_reg4_dinov2")->config;
  const auto cost = valueOrThrow(resolutionCost(config, 518, 0));
  EXPECT_EQ(cost.macs, modelCost(config).macs);
  EXPECT_EQ(cost.grid, (Grid{37, 37, 5, 4}));
  EXPECT_EQ(cost.mapBytes, std::int64_t{12} * 6 * 1374 * 1374 * 4);
  EXPECT_NE(resolutionText(config, cost).find("37 × 37 patches"), std::string::npos);
  const auto refused = resolutionCost(config, 500, 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("490 and 504 are"), std::string::npos);
}

/// LeViT's biases are of its own grid.
TEST(Resolution, WhatCannotBeResampledIsRefused) {
  const auto session = valueOrThrow(InferenceSession::open(golden("levit_micro")));
  const ModelConfig& model = session->info().experiment.model;
  const auto larger = session->atSize(model.imageSize + 16, 0, MaskScheme(makeMaskShape(model)));
  ASSERT_FALSE(larger.ok());
  EXPECT_NE(larger.error().text().find("attention_biases"), std::string::npos);
}

}  // namespace
}  // namespace headlight
