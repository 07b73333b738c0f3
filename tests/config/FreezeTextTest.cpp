// SPDX-License-Identifier: GPL-3.0-or-later

// training.freeze and training.adapter_layers as people write them.

#include "core/config/FreezeText.h"

#include <gtest/gtest.h>

#include "core/config/Experiment.h"

namespace headlight {
namespace {

using Kind = FreezePart::Kind;

FreezeRule freezeRead(const std::string& text) {
  return valueOrThrow(freezeFromText(text));
}

TEST(FreezeText, ReadsWhatPeopleWrite) {
  const FreezeRule head = freezeRead("all but the head");
  EXPECT_TRUE(head.allBut);
  ASSERT_EQ(head.parts.size(), 1u);
  EXPECT_EQ(head.parts[0].kind, Kind::Head);

  const FreezeRule blocks = freezeRead("First 8 blocks");
  EXPECT_FALSE(blocks.allBut);
  ASSERT_EQ(blocks.parts.size(), 1u);
  EXPECT_EQ(blocks.parts[0].kind, Kind::FirstBlocks);
  EXPECT_EQ(blocks.parts[0].count, 8);

  const FreezeRule norms = freezeRead("all but norms and biases");
  EXPECT_TRUE(norms.allBut);
  ASSERT_EQ(norms.parts.size(), 2u);
  EXPECT_EQ(norms.parts[0].kind, Kind::Norms);
  EXPECT_EQ(norms.parts[1].kind, Kind::Biases);

  const FreezeRule names = freezeRead("embeddings, last 1 block,blocks.*.attn.*");
  ASSERT_EQ(names.parts.size(), 3u);
  EXPECT_EQ(names.parts[0].kind, Kind::Embeddings);
  EXPECT_EQ(names.parts[1].kind, Kind::LastBlocks);
  EXPECT_EQ(names.parts[2].pattern, "blocks.*.attn.*");
  for (const char* nothing : {"", "  ", "nothing"})
    EXPECT_TRUE(freezeRead(nothing).parts.empty()) << nothing;
}

TEST(FreezeText, RefusesOthers) {
  for (const char* text : {"all", "all but", "all but the", "head,", "first blocks",
                           "first -1 blocks", "first 0 blocks", "first 2 heads", "the heads"}) {
    const auto read = freezeFromText(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_NE(read.error().message.find("all but the head"), std::string::npos) << text;
  }
  Json json{{"training", {{"freeze", "everything"}}}};
  const auto refused = experimentFromJson(json, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().where, "training.freeze");
}

TEST(FreezeText, NamesMatchWholeOrUpToADot) {
  EXPECT_TRUE(matchesName("blocks.1", "blocks.1.norm1.weight"));
  EXPECT_FALSE(matchesName("blocks.1", "blocks.10.norm1.weight"));
  EXPECT_TRUE(matchesName("blocks.*.attn", "blocks.10.attn.qkv.bias"));
  EXPECT_TRUE(matchesName("*.bias", "head.bias"));
  EXPECT_FALSE(matchesName("*.bias", "head.biases"));
  EXPECT_TRUE(matchesName("*", "cls_token"));
  EXPECT_FALSE(matchesName("pos_embed", "mid_pos_embed"));
}

TEST(FreezeText, AdapterLayersAreListedOnce) {
  EXPECT_EQ(valueOrThrow(adapterLayersFromText("q, v")), (std::vector<std::string>{"q", "v"}));
  for (const char* text : {"", "q,q", "qkv", "q v"})
    EXPECT_FALSE(adapterLayersFromText(text).ok()) << text;
}

}  // namespace
}  // namespace headlight
