// SPDX-License-Identifier: GPL-3.0-or-later

// Text towers of transformers, with what that library made of two texts, and damaged ones.

#include "core/models/text/TextTower.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/models/text/TextTowerNames.h"
#include "tests/models/Golden.h"

namespace headlight {
namespace {

TextTowerOptions clipOptions(std::int64_t endToken = 59) {
  return {.causal = true, .layers = 1, .heads = 2, .endToken = endToken};
}

TextTowerOptions siglipOptions() {
  return {.causal = false, .layers = 1, .heads = 2, .normEpsilon = 1e-6, .activation = "gelu_tanh"};
}

NamedTensors tensorsOf(const std::string& name) {
  return goldenFile("transformers/" + name + "/model.safetensors").tensors;
}

TextTower towerOf(const std::string& name, const TextTowerOptions& options) {
  return {options, tensorsOf(name), name};
}

at::Tensor unit(const at::Tensor& rows) {
  return rows / rows.norm(2, -1, /*keepdim=*/true);
}

double largestDifference(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() ? (a - b).abs().max().item<double>() : 1e9;
}

/// Embeddings, and with the images' those logits.
void compareWithVectors(const std::string& name, const TextTower& tower) {
  auto expected = goldenTensors("transformers/" + name + "/expected.io.safetensors");
  const at::Tensor texts = unit(tower.embed(expected.at("text.ids")));
  EXPECT_LT(largestDifference(texts, expected.at("text_embeds_normalised")), 1e-5);
  const at::Tensor logits =
      tower.scale() * at::matmul(expected.at("image_embeds_normalised"), texts.t()) + tower.bias();
  EXPECT_LT(largestDifference(logits, expected.at("logits_per_image")), 1e-4);
}

TEST(TextTower, GivesClipsEmbeddings) {
  const TextTower tower = towerOf("clip_full", clipOptions());
  EXPECT_EQ(tower.positions(), 12);
  EXPECT_EQ(tower.vocabulary(), 60);
  EXPECT_NEAR(tower.scale(), std::exp(2.5178487300872803), 1e-5);
  compareWithVectors("clip_full", tower);
}

/// Configs of before 2023 say 2: the largest number is the end.
TEST(TextTower, FindsTheEndByTheLargestNumberWhereAConfigSaysTwo) {
  compareWithVectors("clip_full", towerOf("clip_full", clipOptions(2)));
}

TEST(TextTower, GivesSiglipsEmbeddings) {
  compareWithVectors("siglip_full", towerOf("siglip_full", siglipOptions()));
}

TEST(TextTower, WhatFollowsTheFirstEndCountsNothingInClip) {
  const TextTower tower = towerOf("clip_full", clipOptions());
  const auto ids = [](std::vector<std::int64_t> list) {
    return at::tensor(list, at::kLong).unsqueeze(0);
  };
  const at::Tensor plain = tower.embed(ids({58, 3, 9, 59}));
  EXPECT_LT(largestDifference(tower.embed(ids({58, 3, 9, 59, 59, 7})), plain), 1e-6);
  EXPECT_LT(
      largestDifference(towerOf("clip_full", clipOptions(2)).embed(ids({58, 3, 9, 59, 59})), plain),
      1e-6);
  // SigLIP reads the last token, and every token sees all.
  const TextTower siglip = towerOf("siglip_full", siglipOptions());
  EXPECT_GT(largestDifference(siglip.embed(ids({3, 9, 1, 1})), siglip.embed(ids({3, 9, 1}))), 1e-3);
}

// ---- open_clip ----------------------------------------------------------------------------------

/// open_clip's text encoder (model.py, encode_text) as it is written there.
at::Tensor naiveOpenClip(std::map<std::string, at::Tensor> of, const at::Tensor& ids) {
  const std::int64_t count = ids.size(1), width = 24, heads = 2;
  const auto norm = [&](const at::Tensor& x, const std::string& name) {
    return at::layer_norm(x, {width}, of.at(name + ".weight"), of.at(name + ".bias"), 1e-5);
  };
  const auto linear = [&](const at::Tensor& x, const std::string& name) {
    return at::linear(x, of.at(name + ".weight"), of.at(name + ".bias"));
  };
  const std::string block = "transformer.resblocks.0.";
  at::Tensor x = at::embedding(of.at("token_embedding.weight"), ids)[0] +
                 of.at("positional_embedding").slice(0, 0, count);
  const at::Tensor qkv = at::linear(norm(x, block + "ln_1"), of.at(block + "attn.in_proj_weight"),
                                    of.at(block + "attn.in_proj_bias"));
  std::vector<at::Tensor> mixed;
  for (std::int64_t h = 0; h < heads; ++h) {
    const auto part = [&](int which) {
      return qkv.slice(1, which * width + h * width / heads,
                       which * width + (h + 1) * width / heads);
    };
    at::Tensor logits = at::matmul(part(0), part(1).t()) / std::sqrt(12.0);
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t j = i + 1; j < count; ++j)
        logits[i][j] = -1e30;
    mixed.push_back(at::matmul(logits.softmax(1), part(2)));
  }
  x = x + linear(at::cat(mixed, 1), block + "attn.out_proj");
  x = x +
      linear(at::gelu(linear(norm(x, block + "ln_2"), block + "mlp.c_fc")), block + "mlp.c_proj");
  const auto end = ids[0].argmax().item<std::int64_t>();
  return at::matmul(norm(x, "ln_final")[end], of.at("text_projection")).unsqueeze(0);
}

TEST(TextTower, ReadsOpenClipsTensors) {
  const NamedTensors theirs =
      goldenFile("transformers/open_clip/open_clip_model.safetensors").tensors;
  EXPECT_FALSE(hasTextTower(theirs));
  TextTowerOptions options = clipOptions(2);
  options.activation = "gelu";
  const TextTower tower(options, inTextTowerNames(theirs), "open_clip");
  const at::Tensor ids = at::tensor({58, 3, 9, 21, 59}, at::kLong).unsqueeze(0);
  EXPECT_LT(largestDifference(tower.embed(ids), naiveOpenClip({theirs.begin(), theirs.end()}, ids)),
            1e-5);
}

std::string embedError(const TextTower& tower, const std::vector<std::int64_t>& ids) {
  const auto done =
      guarded("", [&] { return tower.embed(at::tensor(ids, at::kLong).unsqueeze(0)).numel(); });
  return done ? "" : done.error().message;
}

TEST(TextTower, RefusesTokensThatItCannotRead) {
  const TextTower tower = towerOf("clip_full", clipOptions());
  EXPECT_NE(embedError(tower, {58, 60, 59}).find("token 60"), std::string::npos);
  EXPECT_NE(embedError(tower, {-1, 59}), "");
  EXPECT_NE(embedError(tower, std::vector<std::int64_t>(13, 59)).find("13 tokens"),
            std::string::npos);
  EXPECT_NE(embedError(tower, {58, 3}).find("end in token 59"), std::string::npos);
}

std::string towerError(const NamedTensors& tensors, const TextTowerOptions& options) {
  const auto made =
      guarded("", [&] { return TextTower(options, tensors, "model.safetensors").positions(); });
  return made ? "" : made.error().text();
}

TEST(TextTower, NamesTheTensorThatDoesNotFit) {
  const NamedTensors whole = tensorsOf("clip_full");
  EXPECT_TRUE(hasTextTower(whole));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const std::string& name = whole[i].first;
    const bool needed = (name.starts_with("text_") && !name.ends_with("position_ids"));
    NamedTensors missing = whole;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(towerError(missing, clipOptions()).find(name) != std::string::npos, needed) << name;
    NamedTensors other = whole;
    other[i].second = at::zeros({3, 1});
    EXPECT_EQ(towerError(other, clipOptions()) != "", needed || name == "logit_scale") << name;
  }
  EXPECT_FALSE(hasTextTower(tensorsOf("clip_classify")));
}

/// Nothing is made for what a config merely claims.
TEST(TextTower, RefusesLayersThatTheFileLacks) {
  TextTowerOptions options = clipOptions();
  options.layers = 1'000'000;
  EXPECT_NE(towerError(tensorsOf("clip_full"), options).find("layers.1."), std::string::npos);
  options = clipOptions();
  options.heads = 5;
  EXPECT_NE(towerError(tensorsOf("clip_full"), options).find("heads"), std::string::npos);
}

}  // namespace
}  // namespace headlight
