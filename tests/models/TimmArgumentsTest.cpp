// SPDX-License-Identifier: GPL-3.0-or-later

// timm's keyword arguments as configs, and those that cannot be followed.

#include <gtest/gtest.h>

#include "core/models/Registry.h"
#include "core/models/published/TimmArguments.h"

namespace headlight {
namespace {

ModelConfig with(const char* published, const Json& arguments) {
  ModelConfig config = findPublishedModel(published)->config;
  applyTimmArguments(arguments, config);
  return checkedAndCompleted(config);
}

std::string refusalOf(const Json& arguments) {
  try {
    with("vit_base_patch16_224", arguments);
  } catch (const Failure& failure) {
    return failure.error().text();
  }
  return {};
}

TEST(TimmArguments, ChangeWhatTheyName) {
  const ModelConfig config = with("vit_small_patch14_reg4_dinov2", {{"img_size", {28, 56}},
                                                                    {"embed_dim", 48},
                                                                    {"num_heads", 3},
                                                                    {"depth", 2},
                                                                    {"num_classes", 10},
                                                                    {"drop_path_rate", 0.1}});
  EXPECT_EQ(config.imageHeightPixels(), 28);
  EXPECT_EQ(config.imageWidthPixels(), 56);
  EXPECT_EQ(config.grid(), (Grid{2, 4, 5, 4}));
  EXPECT_EQ(config.classes, 10);
  EXPECT_EQ(config.layout["prefix_positions"], false);
}

TEST(TimmArguments, PoolingBringsItsNorm) {
  EXPECT_EQ(with("vit_base_patch16_224", {{"global_pool", "avg"}}).layout["pool_norm"], true);
  EXPECT_EQ(with("vit_base_patch16_224", {{"global_pool", "avg"}, {"fc_norm", false}})
                .layout["pool_norm"],
            false);
  EXPECT_EQ(with("eva02_base_patch14_448", {{"global_pool", "token"}}).layout["pool_norm"], false);
}

/// DINOv2 giant's ratio counts both halves, EVA-02's one.
TEST(TimmArguments, RatiosOfGatedMlpsAreTimms) {
  EXPECT_EQ(static_cast<int>(1536 * with("vit_giant_patch14_dinov2", Json::object()).mlpRatio),
            4096);
  EXPECT_EQ(with("vit_giant_patch14_dinov2", {{"mlp_ratio", 4.0}}).mlpRatio, 2.0);
  EXPECT_EQ(with("eva02_tiny_patch14_336", {{"mlp_ratio", 4.0}}).mlpRatio, 4.0);
}

TEST(TimmArguments, WhatCannotBeFollowedIsNamed) {
  EXPECT_NE(refusalOf({{"qk_norm", true}}).find("qk_norm"), std::string::npos);
  EXPECT_NE(refusalOf({{"act_layer", "relu"}}).find("relu"), std::string::npos);
  EXPECT_NE(refusalOf({{"patch_size", {16, 8}}}).find("patch_size"), std::string::npos);
  EXPECT_NE(refusalOf({{"embed_dim", "768"}}).find("whole number"), std::string::npos);
  EXPECT_NE(refusalOf({{"img_size", {224, 224, 3}}}).find("img_size"), std::string::npos);
  EXPECT_NE(refusalOf({{"a_new_argument", 1}}).find("a_new_argument"), std::string::npos);
  EXPECT_NE(refusalOf({{"scale_mlp", true}}).find("scale_mlp"), std::string::npos);
  EXPECT_NE(refusalOf(Json::array({1})).find("object"), std::string::npos);
  EXPECT_EQ(refusalOf({{"qk_norm", false}, {"norm_layer", nullptr}}), "");
}

}  // namespace
}  // namespace headlight
