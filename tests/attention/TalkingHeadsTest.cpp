// SPDX-License-Identifier: GPL-3.0-or-later

// Talking-heads attention against loops written from its definition (CaiT, Shazeer et al. 2020),
// with MaiT's masks on the logits that enter the softmax.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/attention/softmax/TalkingHeadsAttention.h"
#include "core/masks/Neighborhood.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"

namespace headlight::talking_heads_test {

struct Case {
  Grid grid;
  int heads, headWidth;
  std::vector<std::string> masks;

  AttentionOptions options() const {
    return {.width = heads * headWidth, .heads = heads, .grid = grid};
  }
  std::vector<HeadMask> headMasks() const {
    std::vector<HeadMask> result;
    for (const auto& text : masks)
      result.push_back(*headMaskFromText(text));
    return result;
  }
};

std::vector<Case> cases() {
  return {{{3, 3, 0}, 1, 4, {"hard:3"}},
          {{4, 6, 0}, 3, 8, {"none", "hard:3", "soft:3@0.3"}},
          {{5, 3, 1}, 2, 5, {"strict:3", "random:3#5"}},
          {{6, 6, 2}, 4, 8, {"hard:5", "strict:5", "soft:5@0.7", "none"}},
          {{4, 3, 1}, 2, 3, {"none", "none"}}};
}

/// The mixing matrices are drawn wide, so that a mistake in them shows.
std::shared_ptr<TalkingHeadsAttention> makeLayer(const Case& c, at::ScalarType type) {
  seedTorch(5);
  auto layer = std::make_shared<TalkingHeadsAttention>(c.options());
  {
    const at::NoGradGuard noGrad;
    for (auto& item : layer->named_parameters())
      if (item.key().starts_with("proj_")) item.value().normal_(0, 0.7);
  }
  layer->to(type);
  layer->setMasks(c.headMasks());
  return layer;
}

double rule(const HeadMask& mask, bool inside, double logit) {
  if (inside || mask.kind == MaskKind::None) return logit;
  if (mask.kind == MaskKind::Strict) return -INFINITY;
  return mask.kind == MaskKind::Soft ? mask.alpha * logit : 0.0;
}

struct Expected {
  at::Tensor weights, output;  ///< [H, T, T], [T, D] before proj
};

Expected naive(const Case& c, TalkingHeadsAttention& layer, const at::Tensor& x) {
  const int tokens = c.grid.tokens(), width = c.heads * c.headWidth;
  const auto p = layer.named_parameters();
  const auto wide = [&](const std::string& name) { return p[name].detach().to(at::kDouble); };
  const at::Tensor product =
      at::linear(x.to(at::kDouble), wide("qkv.weight"), wide("qkv.bias")).contiguous();
  const at::Tensor wl = wide("proj_l.weight"), bl = wide("proj_l.bias"), ww = wide("proj_w.weight"),
                   bw = wide("proj_w.bias");
  const auto qkv = product.accessor<double, 2>();
  const auto logit = [&](int head, int i, int j) {
    double dot = 0;
    for (int f = 0; f < c.headWidth; ++f)
      dot += qkv[i][head * c.headWidth + f] * qkv[j][width + head * c.headWidth + f];
    return dot / std::sqrt(double(c.headWidth));
  };
  Expected result{at::zeros({c.heads, tokens, tokens}, at::kDouble),
                  at::zeros({tokens, width}, at::kDouble)};
  auto weights = result.weights.accessor<double, 3>();
  auto output = result.output.accessor<double, 2>();
  const auto masks = c.headMasks();
  for (int h = 0; h < c.heads; ++h) {
    auto ones = neighborhoodMask(c.grid, masks[h].window);
    if (masks[h].kind == MaskKind::Random) {
      const at::Tensor drawn = layer.named_buffers()["random_mask"][h].to(at::kByte).contiguous();
      ones.assign(drawn.data_ptr<std::uint8_t>(), drawn.data_ptr<std::uint8_t>() + drawn.numel());
    }
    for (int i = 0; i < tokens; ++i) {
      double sum = 0;
      for (int j = 0; j < tokens; ++j) {
        double mixed = bl[h].item<double>();
        for (int g = 0; g < c.heads; ++g)
          mixed += wl[h][g].item<double>() * logit(g, i, j);
        weights[h][i][j] = std::exp(rule(masks[h], ones[i * tokens + j], mixed));
        sum += weights[h][i][j];
      }
      for (int j = 0; j < tokens; ++j)
        weights[h][i][j] /= sum;
    }
  }
  for (int h = 0; h < c.heads; ++h)
    for (int i = 0; i < tokens; ++i)
      for (int j = 0; j < tokens; ++j) {
        double mixed = bw[h].item<double>();
        for (int g = 0; g < c.heads; ++g)
          mixed += ww[h][g].item<double>() * weights[g][i][j];
        for (int f = h * c.headWidth; f < (h + 1) * c.headWidth; ++f)
          output[i][f] += mixed * qkv[j][2 * width + f];
      }
  return result;
}

TEST(TalkingHeads, EqualsTheNaiveReference) {
  constexpr double kTolerance = 1e-5;  // float32 against double
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.heads * c.headWidth});
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap).to(at::kDouble);
    const auto p = layer->named_parameters();
    for (int image = 0; image < 2; ++image) {
      const Expected expected = naive(c, *layer, x[image]);
      EXPECT_LT(
          (tap.maps.at(0)[image].to(at::kDouble) - expected.weights).abs().max().item<double>(),
          kTolerance);
      const at::Tensor projected = at::linear(expected.output, p["proj.weight"].to(at::kDouble),
                                              p["proj.bias"].to(at::kDouble));
      EXPECT_LT((output[image] - projected).abs().max().item<double>(), kTolerance);
    }
  }
}

TEST(TalkingHeads, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble);
    const at::Tensor x =
        at::randn({2, c.grid.tokens(), c.heads * c.headWidth}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(TalkingHeads, WithoutMixingIsSoftmaxAttention) {
  const Case c{{4, 5, 1}, 3, 8, {"none", "hard:3", "soft:3@0.4"}};
  const auto talking = makeLayer(c, at::kFloat);
  SoftmaxAttention plain(c.options());
  plain.setMasks(c.headMasks());
  const at::NoGradGuard noGrad;
  auto p = talking->named_parameters();
  for (const std::string mix : {"proj_l", "proj_w"}) {
    p[mix + ".weight"].copy_(at::eye(3));
    p[mix + ".bias"].zero_();
  }
  for (auto& item : plain.named_parameters())
    item.value().copy_(p[item.key()]);
  const at::Tensor x = at::randn({2, c.grid.tokens(), 24});
  EXPECT_LT((talking->forward(x, nullptr) - plain.forward(x, nullptr)).abs().max().item<float>(),
            1e-5);
}

TEST(TalkingHeads, StrictMasksLeaveNothingOutsideTheirWindow) {
  const Case c{{5, 5, 0}, 2, 4, {"strict:3", "none"}};
  CollectingHook tap;
  const at::NoGradGuard noGrad;
  makeLayer(c, at::kFloat)->forward(at::randn({1, 25, 8}), &tap);
  const auto ones = neighborhoodMask(c.grid, 3);
  const at::Tensor map = tap.maps.at(0)[0];
  for (int i = 0; i < 25; ++i)
    for (int j = 0; j < 25; ++j)
      EXPECT_EQ(map[0][i][j].item<float>() > 0, ones[i * 25 + j] == 1) << i << " " << j;
  EXPECT_GT(map[1].min().item<float>(), 0.0f);
  EXPECT_LT((map.sum(-1) - 1).abs().max().item<float>(), 1e-5);
}

}  // namespace headlight::talking_heads_test
