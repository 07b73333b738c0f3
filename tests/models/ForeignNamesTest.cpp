// SPDX-License-Identifier: GPL-3.0-or-later

// DINOv2's and DINOv3's own files: named as their authors name tensors, they give what timm's give.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/workbench/identify/IdentifyModel.h"
#include "core/workbench/loading/LoadedModel.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/Golden.h"

namespace headlight {
namespace {

using Renames = std::vector<std::pair<std::string, std::string>>;

/// timm's tensors of `name` as the authors call them.
Checkpoint authorsFile(const std::string& name, const Renames& names) {
  Checkpoint file = goldenFile("zoo/" + name + ".safetensors");
  for (auto& [tensor, value] : file.tensors)
    for (const auto& [timms, theirs] : names)
      if (const auto at = tensor.find(timms); at != std::string::npos)
        tensor.replace(at, timms.size(), theirs);
  file.tensors.emplace_back("mask_token", at::zeros({1, 48}));
  return file;
}

at::Tensor& tensorOf(Checkpoint& file, const std::string& name) {
  for (auto& [tensor, value] : file.tensors)
    if (tensor == name) return value;
  throw std::runtime_error(name);
}

class ForeignNames : public ::testing::Test {
 protected:
  Checkpoint reread(const Checkpoint& file) const {
    const auto path = m_folder.path() / "theirs.safetensors";
    valueOrThrow(writeSafetensors(path, file.tensors, file.metadata));
    return valueOrThrow(readCheckpoint(path));
  }

  /// Greatest difference from timm's pooled features; every tensor has its place.
  double difference(const std::string& name, const Checkpoint& theirs) const {
    const at::NoGradGuard noGrad;
    const Checkpoint read = reread(theirs);
    std::vector<std::string> notes;
    const auto model = makeModel(identifyModel(read, notes), 4);
    requireExplained(*model, read, name);
    giveGoldenWeights(*model, read);
    const auto io = goldenTensors("zoo/" + name + ".io.safetensors");
    at::Tensor tokens = model->embed(io.at("input"));
    for (int l = 0; l < model->layers(); ++l)
      tokens = model->block(l, tokens, nullptr);
    return (model->pooledFeatures(tokens) - io.at("logits")).abs().max().item<double>();
  }

  TemporaryFolder m_folder;
};

TEST_F(ForeignNames, DinoV2) {
  EXPECT_LT(difference("dinov2_micro", authorsFile("dinov2_micro", {})), 1e-4);
  EXPECT_LT(difference("dinov2_giant_micro",
                       authorsFile("dinov2_giant_micro",
                                   {{".mlp.fc1.", ".mlp.w12."}, {".mlp.fc2.", ".mlp.w3."}})),
            1e-4);
}

/// Their class token has a position, which timm adds to it.
TEST_F(ForeignNames, DinoV2WithRegisters) {
  Checkpoint theirs = authorsFile("dinov2_reg_micro", {{"reg_token", "register_tokens"}});
  const at::Tensor position = at::randn({1, 1, 48});
  at::Tensor &token = tensorOf(theirs, "cls_token"), &positions = tensorOf(theirs, "pos_embed");
  token = token - position;
  positions = at::cat({position, positions}, 1);
  EXPECT_LT(difference("dinov2_reg_micro", theirs), 1e-4);
}

Checkpoint dinoV3Of(double queryBias) {
  Checkpoint theirs = authorsFile(
      "dinov3_micro",
      {{"reg_token", "storage_tokens"}, {"gamma_1", "ls1.gamma"}, {"gamma_2", "ls2.gamma"}});
  theirs.tensors.emplace_back("rope_embed.periods", at::ones({4}));
  for (int l = 0; l < 3; ++l) {
    const std::string qkv = "blocks." + std::to_string(l) + ".attn.qkv.";
    const at::Tensor zeros = at::zeros({48}), ones = at::ones({48});
    theirs.tensors.emplace_back(qkv + "bias", at::cat({zeros + queryBias, ones * 7, zeros}));
    theirs.tensors.emplace_back(qkv + "bias_mask", at::cat({ones, zeros, ones}));
  }
  return theirs;
}

/// A bias of keys counts nothing; where those of queries and values are zero there is none.
TEST_F(ForeignNames, DinoV3) {
  EXPECT_LT(difference("dinov3_micro", dinoV3Of(0)), 1e-4);
  Checkpoint biased = reread(dinoV3Of(0.5));
  EXPECT_TRUE(at::equal(tensorOf(biased, "blocks.2.attn.q_bias"), at::full({48}, 0.5f)));
  EXPECT_TRUE(at::equal(tensorOf(biased, "blocks.2.attn.v_bias"), at::zeros({48})));
  EXPECT_THROW(tensorOf(biased, "blocks.2.attn.qkv.bias"), std::runtime_error);
}

/// What looks like it and does not fit is left alone, and refused where a model is made of it.
TEST_F(ForeignNames, StrangeShapesStay) {
  Checkpoint theirs = authorsFile("dinov2_reg_micro", {{"reg_token", "register_tokens"}});
  tensorOf(theirs, "pos_embed") = at::zeros({64});
  EXPECT_EQ(tensorOf(theirs, "pos_embed").dim(), 1);
  Checkpoint read = reread(theirs);
  EXPECT_EQ(tensorOf(read, "pos_embed").dim(), 1);
  Checkpoint third = dinoV3Of(0);
  tensorOf(third, "blocks.1.attn.qkv.bias") = at::zeros({5, 2});
  EXPECT_EQ(tensorOf(third = reread(third), "blocks.1.attn.qkv.bias").dim(), 2);
}

}  // namespace
}  // namespace headlight
