// SPDX-License-Identifier: GPL-3.0-or-later

// Which weights a training starts from: those that fill at least half of the model's body.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/models/Registry.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/training/TrainingStart.h"
#include "tests/models/Pairings.h"

namespace headlight {
namespace {

ModelConfig configOf(const std::string& pairing) {
  for (const auto& [name, config] : pairings())
    if (name == pairing) return config;
  throw std::out_of_range(pairing);
}

ModelConfig published(const std::string& name) {
  return shrunk(findPublishedModel(name)->config);
}

LoadReport reportOf(const ModelConfig& file, const ModelConfig& model) {
  Checkpoint checkpoint;
  checkpoint.tensors = makeModel(file, 1)->state();
  return planFor(*makeModel(model, 2), checkpoint).report;
}

/// Empty where a training may start so.
std::string startRefusal(const LoadReport& report) {
  const auto started = guarded("", [&] { requireStart(report, "w.safetensors"); });
  return started ? "" : started.error().text();
}

TEST(StartingShare, EveryMechanismStartsFromSoftmaxOnTheSameBackbone) {
  int looked = 0;
  for (const auto& [name, config] : pairings()) {
    const std::string backbone = name.substr(0, name.find('/'));
    const std::string softmax = backbone + "/softmax";
    const auto like = std::find_if(pairings().begin(), pairings().end(),
                                   [&](const auto& other) { return other.first == softmax; });
    if (like == pairings().end()) continue;
    ModelConfig file = like->second;
    file.classToken = config.classToken;  // a mechanism may have no place for it
    file.distilled = config.distilled;
    file.positions = config.positions;
    const LoadReport report = reportOf(file, config);
    EXPECT_EQ(startRefusal(report), "") << name;
    ++looked;
  }
  EXPECT_GE(looked, 8);
}

/// AFT §5.3: all but the position embedding, the class token, queries and keys come from DeiT.
TEST(StartingShare, DeitStartsAft) {
  for (const std::string name : {"aft_full", "aft_simple", "aft_local", "aft_conv"}) {
    const ModelConfig aft = configOf("vit/" + name);
    ModelConfig deit = configOf("vit/softmax");
    deit.width = aft.width;
    const LoadReport report = reportOf(deit, aft);
    EXPECT_EQ(startRefusal(report), "") << name;
    EXPECT_FALSE(report.taken.empty()) << name;
    EXPECT_LT(report.bodyShare().value(), 1) << name;
  }
}

/// Their queries, keys and values are DeiT's, which keeps them in one tensor.
TEST(StartingShare, DeitFillsAttentionByFeatures) {
  for (const std::string name : {"linear_transformer", "performer"}) {
    const LoadReport report = reportOf(configOf("vit/softmax"), configOf("vit/" + name));
    EXPECT_TRUE(report.missing.empty()) << name;
    EXPECT_TRUE(report.unexpected.empty()) << name;
    EXPECT_EQ(report.taken.size(), 3u * 3 * 2) << name;  // blocks, parts, weight and bias
    EXPECT_EQ(report.bodyShare().value(), 1) << name;
    const std::int64_t width = configOf("vit/" + name).width;
    const auto rows = [&](std::int64_t third) {
      return "rows " + std::to_string(third * width) + " to " +
             std::to_string((third + 1) * width - 1) + " of " + std::to_string(3 * width);
    };
    for (const auto& [part, third] :
         {std::pair{"query", 0}, std::pair{"key", 1}, std::pair{"value", 2}}) {
      const std::string wanted = std::string("blocks.1.attn.") + part + ".weight";
      const auto found =
          std::find_if(report.taken.begin(), report.taken.end(),
                       [&](const LoadReport::Taken& item) { return item.name == wanted; });
      ASSERT_NE(found, report.taken.end()) << wanted;
      EXPECT_EQ(found->from, "blocks.1.attn.qkv.weight");
      EXPECT_EQ(found->part, rows(third));
    }
  }
}

TEST(StartingShare, OtherSizesAndClassesAreFine) {
  const ModelConfig deit = configOf("vit/softmax");
  ModelConfig other = deit;
  other.classes = deit.classes + 3;
  other.imageSize = deit.imageSize + 2 * deit.patchSize;
  const LoadReport report = reportOf(deit, other);
  EXPECT_EQ(startRefusal(report), "");
  EXPECT_EQ(report.bodyShare().value(), 1);
  EXPECT_FALSE(report.complete());
}

TEST(StartingShare, ModelsThatShareANormAreRefused) {
  ModelConfig vit = configOf("vit/softmax");
  const ModelConfig swin = published("swin_tiny_patch4_window7_224");
  // Swin's last norm has the width of its last stage.
  vit.width = swin.width << (swin.depths.size() - 1);
  const std::string said = startRefusal(reportOf(swin, vit));
  for (const char* words : {"w.safetensors", "fits only 2 of the model's ", "at least half"})
    EXPECT_NE(said.find(words), std::string::npos) << words << " in: " << said;
}

TEST(StartingShare, AModelOfMoreThanTwiceTheLayersIsRefused) {
  const ModelConfig small = configOf("vit/softmax");
  ModelConfig deep = small;
  deep.depth = 2 * small.depth;
  EXPECT_EQ(startRefusal(reportOf(small, deep)), "") << "a little more than half fits";
  deep.depth = 3 * small.depth;
  EXPECT_NE(startRefusal(reportOf(small, deep)), "");
}

TEST(StartingShare, HeadAndPositionTablesDoNotCount) {
  LoadReport report;
  report.matched = {"head.weight", "head.bias", "pos_embed", "blocks.0.attn.random_mask"};
  report.missing = {"cls_token", "blocks.0.attn.relative_position_bias_table"};
  EXPECT_EQ(report.bodyShare().filled, 0u);
  EXPECT_EQ(report.bodyShare().all, 1u);
  report.taken = {{"blocks.0.attn.v.weight", "blocks.0.attn.qkv.weight", "rows"}};
  EXPECT_EQ(report.bodyShare().filled, 1u);
  EXPECT_EQ(report.bodyShare().value(), 0.5);
  EXPECT_EQ(startRefusal(report), "") << "half is enough";
  report.mismatched = {{"norm.weight", {2}, {3}}};
  EXPECT_NE(startRefusal(report), "");
}

}  // namespace
}  // namespace headlight
