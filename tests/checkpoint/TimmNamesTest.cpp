// SPDX-License-Identifier: GPL-3.0-or-later

// Names of other libraries: what is fused, split and left aside, and what is refused.

#include "core/checkpoint/foreign/TimmNames.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/checkpoint/foreign/NameRows.h"

namespace headlight {
namespace {

Checkpoint fileOf(const NamedTensors& tensors) {
  Checkpoint file;
  file.tensors = tensors;
  return file;
}

at::Tensor tensorIn(const Checkpoint& file, const std::string& name) {
  for (const auto& [known, tensor] : file.tensors)
    if (known == name) return tensor;
  return {};
}

const std::string kBlock = "vit.encoder.layer.0.attention.attention.";

NamedTensors smallVit() {
  return {{"vit.embeddings.patch_embeddings.projection.weight", at::rand({4, 3, 2, 2})},
          {kBlock + "query.weight", at::rand({4, 4})},
          {kBlock + "key.weight", at::rand({4, 4})},
          {kBlock + "value.weight", at::rand({4, 4})},
          {kBlock + "query.bias", at::rand({4})},
          {kBlock + "key.bias", at::rand({4})},
          {kBlock + "value.bias", at::rand({4})},
          {"classifier.weight", at::rand({2, 4})}};
}

TEST(NameRows, NumbersAndRestsAreKept) {
  const NameRow row{"layer.#.out", "blocks.#.proj"};
  EXPECT_EQ(applyRow(row, "layer.12.out.weight"), "blocks.12.proj.weight");
  EXPECT_EQ(applyRow(row, "layer.12.out.bias"), "blocks.12.proj.bias");
  EXPECT_EQ(applyRow(row, "layer.12.out"), "blocks.12.proj");
  EXPECT_FALSE(applyRow(row, "layer.12.out.scale"));
  EXPECT_FALSE(applyRow(row, "layer.x.out.weight"));
  EXPECT_FALSE(applyRow(row, "layer.12.outer.weight"));
  EXPECT_EQ(applyRow({"stage.1.*", "layers.0.*"}, "stage.1.a.b"), "layers.0.a.b");
}

TEST(TimmNames, QueriesKeysAndValuesAreFused) {
  const Checkpoint theirs = fileOf(smallVit()), ours = inTimmNames(theirs);
  const at::Tensor fused = tensorIn(ours, "blocks.0.attn.qkv.weight");
  ASSERT_EQ(fused.sizes(), (std::vector<std::int64_t>{12, 4}));
  EXPECT_TRUE(fused.narrow(0, 4, 4).equal(tensorIn(theirs, kBlock + "key.weight")));
  EXPECT_TRUE(tensorIn(ours, "head.weight").defined());
  EXPECT_TRUE(tensorIn(ours, "patch_embed.proj.weight").defined());
}

TEST(TimmNames, AMissingBiasIsZeroAndKeysWithoutStayApart) {
  NamedTensors tensors = smallVit();
  tensors.erase(tensors.begin() + 5);
  const Checkpoint beit = inTimmNames(fileOf(tensors));
  EXPECT_FALSE(tensorIn(beit, "blocks.0.attn.qkv.bias").defined());
  EXPECT_TRUE(tensorIn(beit, "blocks.0.attn.q_bias").defined());
  EXPECT_TRUE(tensorIn(beit, "blocks.0.attn.v_bias").defined());
  NamedTensors some = smallVit();
  some.erase(some.begin() + 4);
  const at::Tensor bias = tensorIn(inTimmNames(fileOf(some)), "blocks.0.attn.qkv.bias");
  ASSERT_EQ(bias.numel(), 12);
  EXPECT_EQ(bias.narrow(0, 0, 4).count_nonzero().item<std::int64_t>(), 0);
}

TEST(TimmNames, PartsThatDoNotFitAreRefused) {
  for (const at::Tensor& odd : {at::rand({4, 5}), at::rand({4}), at::rand({4, 4}, at::kDouble),
                                at::rand({0, 4}), at::rand({})}) {
    NamedTensors tensors = smallVit();
    tensors[2].second = odd;
    EXPECT_THROW(inTimmNames(fileOf(tensors)), Failure) << odd.sizes();
  }
  NamedTensors missing = smallVit();
  missing.erase(missing.begin() + 3);
  EXPECT_THROW(inTimmNames(fileOf(missing)), Failure);
}

TEST(TimmNames, TwoTensorsOfOneNameAreRefused) {
  NamedTensors tensors = smallVit();
  tensors.emplace_back("cls_classifier.weight", at::rand({2, 4}));
  EXPECT_THROW(inTimmNames(fileOf(tensors)), Failure);
}

TEST(TimmNames, WhatNobodyKnowsKeepsItsName) {
  NamedTensors tensors = smallVit();
  tensors.emplace_back("vit.adapter.weight", at::rand({2}));
  EXPECT_TRUE(tensorIn(inTimmNames(fileOf(tensors)), "vit.adapter.weight").defined());
  const NamedTensors timms{{"patch_embed.proj.weight", at::rand({4, 3, 2, 2})}};
  const Checkpoint same = inTimmNames(fileOf(timms));
  EXPECT_EQ(same.tensors.front().first, "patch_embed.proj.weight");
  EXPECT_TRUE(same.notes.empty());
}

/// LeViT's blocks are counted through all stages there, MLPs among them.
TEST(TimmNames, LevitsBlocksFindTheirStages) {
  const NamedTensors theirs{{"patch_embed.0.c.weight", at::rand({1})},
                            {"patch_embed.6.bn.running_mean", at::rand({1})},
                            {"blocks.0.m.qkv.c.weight", at::rand({1})},
                            {"blocks.0.m.proj.1.bn.weight", at::rand({1})},
                            {"blocks.0.m.attention_biases", at::rand({1})},
                            {"blocks.1.m.0.c.weight", at::rand({1})},
                            {"blocks.1.m.2.bn.bias", at::rand({1})},
                            {"blocks.2.kv.c.weight", at::rand({1})},
                            {"blocks.2.q.1.c.weight", at::rand({1})},
                            {"blocks.3.m.0.c.weight", at::rand({1})},
                            {"blocks.4.m.qkv.c.weight", at::rand({1})},
                            {"blocks.4.m.attention_bias_idxs", at::rand({1})},
                            {"head.l.weight", at::rand({1})}};
  std::vector<std::string> names;
  for (const auto& [name, tensor] : inTimmNames(fileOf(theirs)).tensors)
    names.push_back(name);
  EXPECT_EQ(
      names,
      (std::vector<std::string>{
          "stem.conv1.linear.weight", "stem.conv4.bn.running_mean",
          "stages.0.blocks.0.attn.qkv.linear.weight", "stages.0.blocks.0.attn.proj.ln.bn.weight",
          "stages.0.blocks.0.attn.attention_biases", "stages.0.blocks.0.mlp.ln1.linear.weight",
          "stages.0.blocks.0.mlp.ln2.bn.bias",
          "stages.1.downsample.attn_downsample.kv.linear.weight",
          "stages.1.downsample.attn_downsample.q.ln.linear.weight",
          "stages.1.downsample.mlp.ln1.linear.weight", "stages.1.blocks.0.attn.qkv.linear.weight",
          "head.linear.weight"}));
}

/// Shapes alone may claim more than any memory holds.
TEST(TimmNames, ShapesAloneTakeNoMemory) {
  NamedTensors tensors = smallVit();
  for (auto& [name, tensor] : tensors)
    if (name.ends_with("query.weight") || name.ends_with("key.weight") ||
        name.ends_with("value.weight"))
      tensor = at::zeros({}).expand({1 << 20, 1 << 20});
  const at::Tensor fused = tensorIn(inTimmNames(fileOf(tensors)), "blocks.0.attn.qkv.weight");
  EXPECT_EQ(fused.sizes(), (std::vector<std::int64_t>{3 << 20, 1 << 20}));
}

TEST(TimmNames, OddShapesDoNoHarm) {
  for (const at::Tensor& odd :
       {at::rand({}), at::rand({0}), at::rand({5, 7}), at::rand({1, 1, 1, 1})}) {
    const NamedTensors clip{{"embeddings.patch_embedding.weight", at::rand({4, 3, 2, 2})},
                            {"encoder.layers.0.self_attn.q_proj.weight", at::rand({4, 4})},
                            {"encoder.layers.0.self_attn.k_proj.weight", at::rand({4, 4})},
                            {"encoder.layers.0.self_attn.v_proj.weight", at::rand({4, 4})},
                            {"embeddings.class_embedding", odd},
                            {"embeddings.position_embedding.weight", odd},
                            {"head.probe", odd},
                            {"head.attention.in_proj_weight", odd},
                            {"visual_projection.weight", odd}};
    EXPECT_NO_THROW(inTimmNames(fileOf(clip))) << odd.sizes();
    NamedTensors registers = smallVit();
    registers.emplace_back("vit.embeddings.register_tokens", odd);
    registers.emplace_back("vit.embeddings.cls_token", odd);
    registers.emplace_back("vit.embeddings.position_embeddings", odd);
    EXPECT_NO_THROW(inTimmNames(fileOf(registers))) << odd.sizes();
  }
  const NamedTensors linear{{"embeddings.patch_embedding.weight", at::rand({4, 7})},
                            {"encoder.layers.0.self_attn.q_proj.weight", at::rand({4, 4})}};
  EXPECT_THROW(inTimmNames(fileOf(linear)), Failure);
}

}  // namespace
}  // namespace headlight
