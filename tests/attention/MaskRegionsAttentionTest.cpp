// SPDX-License-Identifier: GPL-3.0-or-later

// Decays and regions of masks in softmax attention: by loops in double precision, every kernel,
// gradients; and what cannot be applied is refused.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/attention/softmax/TalkingHeadsAttention.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"

namespace headlight::mask_regions_attention_test {

constexpr int kHeads = 3, kHeadWidth = 4;

std::vector<HeadMask> masksFrom(const std::vector<std::string>& texts) {
  std::vector<HeadMask> masks;
  for (const std::string& text : texts)
    masks.push_back(valueOrThrow(headMaskFromText(text)));
  return masks;
}

AttentionOptions optionsOn(const Grid& grid, const std::string& kernel) {
  return {.layer = 2,
          .width = kHeads * kHeadWidth,
          .heads = kHeads,
          .grid = grid,
          .options = {{"kernel", kernel}}};
}

std::shared_ptr<SoftmaxAttention> layerWith(const Grid& grid, const std::vector<std::string>& masks,
                                            const std::string& kernel = "auto") {
  seedTorch(11);
  auto layer = std::make_shared<SoftmaxAttention>(optionsOn(grid, kernel));
  layer->to(at::kDouble);
  layer->setMasks(masksFrom(masks));
  return layer;
}

/// softmax(S) ⊙ γ^d with rows divided by their sums: the other way to say what a decay is.
double naiveDecay(const at::Tensor& logits, const Grid& grid, double gamma, int query, int key) {
  const auto distance = [&](int i, int j) {
    const int a = i - grid.prefix, b = j - grid.prefix;
    if (a < 0 || b < 0) return 0;
    return std::abs(a / grid.cols - b / grid.cols) + std::abs(a % grid.cols - b % grid.cols);
  };
  double sum = 0, own = 0;
  for (int j = 0; j < grid.tokens(); ++j) {
    const double weight =
        std::exp(logits[query][j].item<double>()) * std::pow(gamma, distance(query, j));
    sum += weight;
    if (j == key) own = weight;
  }
  return own / sum;
}

TEST(DecayMask, IsThePowerOfTheDistanceInWhateverKernel) {
  const Grid grid{3, 4, 1};
  const at::NoGradGuard noGrad;
  for (const std::string kernel : {"auto", "dense"}) {
    const auto layer = layerWith(grid, {"decay:0.5", "decay:1", "strict:3"}, kernel);
    const at::Tensor x = at::randn({2, grid.tokens(), kHeads * kHeadWidth}, at::kDouble);
    CollectingHook tap;
    layer->forward(x, &tap);
    const auto p = layer->named_parameters();
    const at::Tensor qkv = at::linear(x, p["qkv.weight"], p["qkv.bias"])
                               .view({2, grid.tokens(), 3, kHeads, kHeadWidth});
    for (int head = 0; head < 2; ++head) {
      const at::Tensor logits =
          qkv.select(2, 0).select(2, head)[1].mm(qkv.select(2, 1).select(2, head)[1].t()) /
          std::sqrt(double(kHeadWidth));
      for (int i = 0; i < grid.tokens(); ++i)
        for (int j = 0; j < grid.tokens(); ++j)
          ASSERT_NEAR(tap.maps.at(2)[1][head][i][j].item<double>(),
                      naiveDecay(logits, grid, head == 0 ? 0.5 : 1, i, j), 1e-12)
              << kernel << " " << head << " " << i << " " << j;
    }
  }
}

TEST(DecayMask, HasGradientsThatAreFiniteDifferences) {
  const Grid grid{3, 3, 1};
  const auto layer = layerWith(grid, {"decay:0.7", "soft:natten3@0.4", "strict:3+0.0"}, "auto");
  const at::Tensor x =
      at::randn({2, grid.tokens(), kHeads * kHeadWidth}, at::kDouble).requires_grad_();
  testing::expectLayerGradients(*layer, x);
}

TEST(DecayMask, IsRefusedByTheLinearKernelWithTheReason) {
  auto layer = std::make_shared<SoftmaxAttention>(optionsOn({4, 4, 1}, "linear"));
  try {
    layer->setMasks(masksFrom({"none", "decay:0.9", "none"}));
    FAIL() << "was accepted";
  } catch (const Failure& failure) {
    EXPECT_NE(failure.error().message.find("linear-time"), std::string::npos);
    EXPECT_NE(failure.error().where.find("layer 2, head 1"), std::string::npos);
  }
}

TEST(MaskRegionsInAttention, LinearAndDenseKernelsAgreeForwardAndBackward) {
  const Grid grid{6, 6, 1};
  const std::vector<std::vector<std::string>> all{
      {"strict:natten3d2", "hard:natten3s3", "hard:3+1.1"},
      {"hard:drawnoffsets3x3=XQ", "strict:natten5", "strict:3+0.0+5.5"}};
  for (const auto& masks : all) {
    const at::Tensor x = at::randn({2, grid.tokens(), kHeads * kHeadWidth}, at::kDouble);
    std::vector<at::Tensor> outputs, gradients;
    for (const std::string kernel : {"linear", "dense"}) {
      const auto layer = layerWith(grid, masks, kernel);
      const at::Tensor input = x.clone().requires_grad_();
      const at::Tensor output = layer->forward(input, nullptr);
      output.square().sum().backward();
      outputs.push_back(output.detach());
      gradients.push_back(input.grad());
    }
    EXPECT_LT((outputs[0] - outputs[1]).abs().max().item<double>(), 1e-12);
    EXPECT_LT((gradients[0] - gradients[1]).abs().max().item<double>(), 1e-11);
  }
}

TEST(MaskRegionsInAttention, TheLinearKernelRunsThemWhereItIsCheaper) {
  const auto layer = layerWith({30, 30, 0}, {"strict:natten3", "soft:natten3", "decay:0.5"});
  const std::string kernels = layer->kernelText();
  EXPECT_NE(kernels.find("head 0"), std::string::npos) << kernels;
}

TEST(MaskRegionsInAttention, WhatDoesNotFitTheLayerIsRefusedWithItsPlace) {
  auto layer = std::make_shared<SoftmaxAttention>(optionsOn({4, 4, 0}, "auto"));
  for (const char* text : {"hard:natten3d2", "hard:natten5", "hard:3+4.0", "hard:drawnpairs1x1=g",
                           "strict:drawnoffsets3x3=BA"}) {
    try {
      layer->setMasks(masksFrom({text, "none", "none"}));
      ADD_FAILURE() << text << " was accepted";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().code, ErrorCode::InvalidConfig);
      EXPECT_NE(failure.error().where.find("layer 2, head 0"), std::string::npos) << text;
    }
  }
  layer->setMasks(masksFrom({"hard:natten3", "none", "none"}));
  EXPECT_THROW(layer->setGrid({2, 2, 0}), Failure);  // no room for 3 × 3
  layer->setGrid({5, 6, 0});
}

TEST(MaskRegionsInAttention, TalkingHeadsTakeDecaysToo) {
  seedTorch(5);
  TalkingHeadsAttention layer(
      {.layer = 0, .width = kHeads * kHeadWidth, .heads = kHeads, .grid = {3, 3, 0}});
  layer.to(at::kDouble);
  const at::Tensor x = at::randn({1, 9, kHeads * kHeadWidth}, at::kDouble);
  const at::NoGradGuard noGrad;
  const at::Tensor open = layer.forward(x, nullptr);
  layer.setMasks(masksFrom({"decay:1", "decay:1", "decay:1"}));
  EXPECT_LT((layer.forward(x, nullptr) - open).abs().max().item<double>(), 1e-12);
  layer.setMasks(masksFrom({"decay:0.2", "none", "none"}));
  EXPECT_GT((layer.forward(x, nullptr) - open).abs().max().item<double>(), 1e-6);
}

}  // namespace headlight::mask_regions_attention_test
