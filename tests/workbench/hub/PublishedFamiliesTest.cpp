// SPDX-License-Identifier: GPL-3.0-or-later

// Published models by family and paper: every one in exactly one, the usual ones in the registry.

#include "core/workbench/hub/PublishedFamilies.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/models/Registry.h"

namespace headlight::testing {
namespace {

std::map<std::string, std::string> familyByName() {
  std::map<std::string, std::string> found;
  for (const PublishedFamily& family : publishedFamilies())
    for (const PublishedModel* model : family.models) {
      EXPECT_EQ(found.count(model->name), 0u) << model->name;
      found[model->name] = family.title;
    }
  return found;
}

TEST(PublishedFamilies, HoldEveryModelOnce) {
  const auto families = familyByName();
  for (const PublishedModel& model : publishedModels())
    EXPECT_EQ(families.count(model.name), 1u) << model.name;
  EXPECT_EQ(families.size(), publishedModels().size());
}

TEST(PublishedFamilies, AreThoseOfThePapers) {
  const auto families = familyByName();
  for (const auto& [name, title] :
       {std::pair{"deit_tiny_patch16_224", "DeiT"},
        std::pair{"deit3_small_patch16_224", "DeiT III"}, std::pair{"vit_base_patch16_224", "ViT"},
        std::pair{"vit_base_patch14_dinov2", "DINOv2"},
        std::pair{"vit_base_patch14_reg4_dinov2", "DINOv2 with registers"},
        std::pair{"vit_base_patch16_gap_224", "ViT, timm's variants"},
        std::pair{"masked_cait_xxs24_224", "MaiT"}, std::pair{"h_mait_tiny", "MaiT"},
        std::pair{"cait_xxs24_224", "CaiT"}, std::pair{"castling_levit_128", "Castling-ViT"},
        std::pair{"eva02_base_patch16_clip_224", "EVA-02"}, std::pair{"cait_micro", "Very small"}})
    EXPECT_EQ(families.at(name), title) << name;
}

TEST(PublishedFamilies, BeginWithThePlainOnesAndEndWithTheVerySmall) {
  EXPECT_EQ(publishedFamilies().front().title, "ViT");
  EXPECT_EQ(publishedFamilies().back().title, "Very small");
  for (const PublishedFamily& family : publishedFamilies())
    EXPECT_FALSE(family.models.empty()) << family.title;
}

TEST(PublishedFamilies, TheUsualModelsAreThere) {
  const auto common = commonModels();
  EXPECT_GE(common.size(), 10u);
  EXPECT_EQ(common.front()->name, "deit_tiny_patch16_224");
}

}  // namespace
}  // namespace headlight::testing
