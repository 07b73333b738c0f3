// SPDX-License-Identifier: GPL-3.0-or-later

// Which parameters decay, of every registered model: timm's rule, by names.

#include <gtest/gtest.h>

#include <set>

#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

/// Learned masks (IBiT) and scales (LSLA), which decay on demand.
const std::set<std::string> kMasks{"learned_mask_a", "learned_mask_b", "dynamic_scale"};

/// Tokens, embeddings and tables of positions.
const std::set<std::string> kSpared{
    "pos_embed",        "cls_token",        "dist_token",      "relative_position_bias_table",
    "reg_token",        "attention_biases", "rel_pos_h",       "rel_pos_w",
    "inner_bias_table", "outer_bias_table", "position_bias",   "position_embedding",
    "position_u",       "position_v",       "freqs",           "mask_token",
    "level_embed",      "queries_features", "queries_embedder"};

TEST(WeightDecay, SparesVectorsTokensAndPositionsOfEveryModel) {
  std::set<std::string> seen;
  for (const PublishedModel& published : publishedModels()) {
    const auto model = makeModel(shrunk(published.config), 0);
    for (const auto& [name, tensor] : model->trainable()) {
      const std::string own = name.substr(name.rfind('.') + 1);
      const bool onDemand = tensor.dim() > 1 && !kSpared.contains(own);
      const bool expected = onDemand && !kMasks.contains(own);
      EXPECT_EQ(model->decays(name, tensor), expected) << published.name << ": " << name;
      EXPECT_EQ(model->decays(name, tensor, true), onDemand) << published.name << ": " << name;
      if (tensor.dim() > 1) seen.insert(own);
    }
  }
  for (const std::string& name : kSpared)
    EXPECT_TRUE(seen.contains(name)) << name << " is in no model";
  for (const std::string& name : kMasks)
    EXPECT_TRUE(seen.contains(name)) << name << " is in no model";
}

/// By names alone: batch norms are the modules with running statistics.
TEST(WeightDecay, OfVectorsSparesBatchNorms) {
  for (const std::string name : {"lcnet_vit_s_320", "esnet_vit_s_320"}) {
    const auto model = makeModel(shrunk(findPublishedModel(name)->config), 0);
    std::set<std::string> batchNorms;
    for (const auto& item : model->state())
      if (item.first.ends_with(".running_mean"))
        batchNorms.insert(item.first.substr(0, item.first.rfind('.')));
    int decaying = 0, spared = 0;
    for (const auto& [parameter, tensor] : model->trainable()) {
      const std::string owner = parameter.substr(0, parameter.rfind('.'));
      const bool expected = tensor.dim() <= 1 && !batchNorms.contains(owner);
      EXPECT_EQ(model->decaysAsVector(parameter, tensor), expected) << parameter;
      decaying += expected;
      spared += batchNorms.contains(owner);
    }
    EXPECT_GT(decaying, 0);
    EXPECT_GT(spared, 0);
  }
}

TEST(WeightDecay, OfVectorsSparesSoftMasksAndTokens) {
  const auto model = makeModel(shrunk(findPublishedModel("mait_xt")->config), 0);
  model->setMasks(*makeMaskPreset("sch3", model->masks().shape()));
  for (const auto& [name, tensor] : model->trainable()) {
    const bool expected = tensor.dim() <= 1 && !name.ends_with(".soft_mask_logit");
    EXPECT_EQ(model->decaysAsVector(name, tensor), expected) << name;
  }
}

TEST(WeightDecay, OnlyTheFactorsOfALearnedMaskAreFitted) {
  const auto model = makeModel(shrunk(findPublishedModel("ibit_micro")->config), 0);
  int fitted = 0;
  for (const auto& [name, tensor] : model->trainable()) {
    const bool factor = name.ends_with(".learned_mask_a") || name.ends_with(".learned_mask_b");
    EXPECT_EQ(model->isFitted(name), factor) << name;
    fitted += factor;
  }
  EXPECT_GT(fitted, 0);
}

}  // namespace
}  // namespace headlight
