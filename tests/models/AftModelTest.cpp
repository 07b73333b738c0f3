// SPDX-License-Identifier: GPL-3.0-or-later

// Models with AFT: their published sizes, any image size, and starting from a DeiT's weights.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;

at::Tensor named(const ModelTensors& tensors, const std::string& name) {
  for (const auto& [key, tensor] : tensors)
    if (key == name) return tensor;
  throw std::out_of_range(name);
}

/// What a file with the weights of `from` does to `to`, done.
LoadReport load(Model& from, Model& to) {
  Checkpoint file;
  file.tensors = from.state();
  const Grid grid = to.grid(0);
  const LoadPlan plan =
      valueOrThrow(planLoad(to.state(), file, {grid.prefix, grid.rows, grid.cols}));
  EXPECT_TRUE(applyLoad(to.state(), plan).ok());
  return plan.report;
}

TEST(AftModels, ParametersByHand) {
  // DeiT-T with u, v in R^{197 x 128} in 12 blocks; DeiT-T without token and positions, K of 32
  // columns, 32 kernels of 121 taps with gain and shift.
  EXPECT_EQ(modelCost(findPublishedModel("aft_full_tiny")->config).parameters,
            5717416 + 12 * 2 * 197 * 128);
  EXPECT_EQ(modelCost(findPublishedModel("aft_conv_tiny_11_32")->config).parameters,
            5717416 - 192 - 197 * 192 - 12 * 160 * 193 + 12 * 32 * 123);
  EXPECT_EQ(modelCost(findPublishedModel("aft_conv_small_15_384")->config).parameters,
            22050664 - 384 - 197 * 384 + 12 * 384 * 227);
  // The two products of Eq. 2 cost what QKᵀ and AV do.
  EXPECT_EQ(modelCost(findPublishedModel("aft_full_tiny")->config).macs,
            modelCost(findPublishedModel("deit_tiny")->config).macs);
}

TEST(AftModels, ConvWeightsServeAnyImageSize) {
  ModelConfig config = findPublishedModel("aft_conv_micro")->config;
  const auto trained = makeModel(config, 1);
  config.imageSize = 48;
  config.imageWidth = 20;
  const auto other = makeModel(config, 2);
  const LoadReport report = load(*trained, *other);
  EXPECT_TRUE(report.complete());
  EXPECT_TRUE(report.resized.empty());
  for (const auto& [name, tensor] : trained->state())
    EXPECT_TRUE(at::equal(tensor, named(other->state(), name))) << name;
  other->eval();
  const at::NoGradGuard noGrad;
  const at::Tensor logits = other->forward(at::randn({2, 3, 48, 20}));
  ASSERT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 10}));
  EXPECT_TRUE(logits.isfinite().all().item<bool>());
}

TEST(AftModels, ConvSeesShiftedImagesAlike) {
  // Without positions, tokens far from the edge follow the image: all it knows are offsets.
  ModelConfig config = findPublishedModel("aft_conv_micro")->config;
  config.depth = 1;
  const auto model = makeModel(config, 1);
  model->eval();
  const at::NoGradGuard noGrad;
  for (const auto& [name, tensor] : model->trainable())
    if (name.find("position_") != std::string::npos) at::Tensor(tensor).normal_(0, 0.5);
  at::Tensor image = at::zeros({1, 3, 32, 32});
  image.slice(2, 12, 20).slice(3, 12, 16).normal_();
  const at::Tensor shifted = image.roll({4, 4}, {2, 3});
  const auto tokens = [&](const at::Tensor& x) {
    return model->block(0, model->embed(x), nullptr).view({8, 8, 48});
  };
  const at::Tensor a = tokens(image).slice(0, 2, 5).slice(1, 2, 5),
                   b = tokens(shifted).slice(0, 3, 6).slice(1, 3, 6);
  EXPECT_LT((a - b).abs().max().item<float>(), 1e-5);
  EXPECT_GT((a - tokens(image).slice(0, 3, 6).slice(1, 3, 6)).abs().max().item<float>(), 1e-2);
}

TEST(AftModels, StartFromDeitWithItsValues) {
  const auto deit = makeModel(findPublishedModel("vit_micro")->config, 3);
  for (const std::string name : {"aft_conv_micro", "aft_full_micro"}) {
    const auto aft = makeModel(findPublishedModel(name)->config, 4);
    const ModelTensors before = [&] {
      ModelTensors copies;
      for (const auto& [key, tensor] : aft->state())
        copies.emplace_back(key, tensor.detach().clone());
      return copies;
    }();
    const LoadReport report = load(*deit, *aft);
    const bool conv = name == "aft_conv_micro";
    EXPECT_EQ(report.taken.size(), 6u);
    EXPECT_TRUE(report.mismatched.empty());
    EXPECT_EQ(report.unexpected, conv ? (Names{"cls_token", "pos_embed"}) : Names{});
    for (const auto& missing : report.missing) {
      const bool own = missing.find(".attn.q.") != std::string::npos ||
                       missing.find(".attn.k.") != std::string::npos ||
                       missing.find(".attn.position_") != std::string::npos;
      EXPECT_TRUE(own) << missing;
      EXPECT_TRUE(at::equal(named(before, missing), named(aft->state(), missing))) << missing;
    }
    EXPECT_EQ(report.matched.size() + report.taken.size() + report.missing.size(), before.size());
    const at::Tensor fused = named(deit->state(), "blocks.2.attn.qkv.weight");
    EXPECT_TRUE(at::equal(named(aft->state(), "blocks.2.attn.v.weight"), fused.slice(0, 96, 144)));
    EXPECT_TRUE(at::equal(named(aft->state(), "blocks.1.attn.proj.weight"),
                          named(deit->state(), "blocks.1.attn.proj.weight")));
  }
}

}  // namespace
}  // namespace headlight
