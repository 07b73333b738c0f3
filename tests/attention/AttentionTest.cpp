// SPDX-License-Identifier: GPL-3.0-or-later

// SoftmaxAttention against a deliberately naive double-precision reference (loops, no kernels), the
// fused kernel against the plain one, and gradients by finite differences.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/attention/kernels/HeadAttention.h"
#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/masks/Neighborhood.h"
#include "core/models/backbones/Model.h"

namespace headlight::attention_test {

struct Case {
  Grid grid;
  int heads, headWidth;
  std::vector<std::string> masks;
};

std::vector<Case> cases() {
  return {{{3, 3, 1}, 1, 4, {"hard:3"}},
          {{4, 6, 1}, 3, 8, {"none", "hard:3", "soft:3@0.3"}},
          {{5, 3, 0}, 2, 5, {"strict:3", "random:3#5"}},
          {{7, 7, 2}, 4, 16, {"hard:5", "strict:5", "soft:5@0.7", "none"}},
          {{9, 10, 1}, 2, 7, {"hard:3", "soft:3@0.5"}}};  // more than one block of rows
}

std::vector<HeadMask> masksOf(const Case& c) {
  std::vector<HeadMask> masks;
  for (const auto& text : c.masks)
    masks.push_back(*headMaskFromText(text));
  return masks;
}

std::shared_ptr<SoftmaxAttention> makeLayer(const Case& c, at::ScalarType type,
                                            const std::string& kernel = "auto") {
  seedTorch(3);
  auto layer =
      std::make_shared<SoftmaxAttention>(AttentionOptions{.layer = 0,
                                                          .width = c.heads * c.headWidth,
                                                          .heads = c.heads,
                                                          .grid = c.grid,
                                                          .options = {{"kernel", kernel}}});
  layer->to(type);
  layer->setMasks(masksOf(c));
  return layer;
}

double at(const at::Tensor& t, std::initializer_list<std::int64_t> index) {
  at::Tensor value = t;
  for (const auto i : index)
    value = value[i];
  return value.item<double>();
}

/// A = softmax(mask(QKᵀ/√d)) by loops, from MaiT Eq. 2 alone.
std::vector<double> naiveMap(const Case& c, const at::Tensor& qkv, int image, int head,
                             const std::vector<std::uint8_t>& ones, double alpha) {
  const int tokens = c.grid.tokens(), width = c.heads * c.headWidth;
  const HeadMask mask = masksOf(c)[head];
  std::vector<double> map(tokens * tokens);
  for (int i = 0; i < tokens; ++i) {
    std::vector<double> logits(tokens);
    for (int j = 0; j < tokens; ++j) {
      double dot = 0;
      for (int k = 0; k < c.headWidth; ++k)
        dot += at(qkv, {image, i, head * c.headWidth + k}) *
               at(qkv, {image, j, width + head * c.headWidth + k});
      const double s = dot / std::sqrt(double(c.headWidth));
      const bool inside = mask.kind == MaskKind::None || ones[i * tokens + j];
      if (mask.kind == MaskKind::Soft)
        logits[j] = inside ? s : alpha * s;
      else if (mask.kind == MaskKind::Strict)
        logits[j] = inside ? s : -INFINITY;
      else
        logits[j] = inside ? s : 0.0;
    }
    double sum = 0;
    for (const double l : logits)
      sum += std::exp(l);
    for (int j = 0; j < tokens; ++j)
      map[i * tokens + j] = std::exp(logits[j]) / sum;
  }
  return map;
}

class SoftmaxKernels : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, SoftmaxKernels, ::testing::Values("dense", "linear"));

TEST_P(SoftmaxKernels, EqualTheNaiveReference) {
  constexpr double kTolerance = 1e-5;  // float32 against double
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat, GetParam());
    const int tokens = c.grid.tokens(), width = c.heads * c.headWidth;
    const at::Tensor x = at::randn({2, tokens, width}) * 2;
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap).to(at::kDouble);
    const auto p = layer->named_parameters();
    const at::Tensor qkv = at::linear(x.to(at::kDouble), p["qkv.weight"].to(at::kDouble),
                                      p["qkv.bias"].to(at::kDouble));
    const at::Tensor map = tap.maps.at(0).to(at::kDouble);
    at::Tensor mixed = at::zeros({2, tokens, width}, at::kDouble);
    for (int image = 0; image < 2; ++image)
      for (int head = 0; head < c.heads; ++head) {
        std::vector<std::uint8_t> ones = neighborhoodMask(c.grid, masksOf(c)[head].window);
        if (masksOf(c)[head].kind == MaskKind::Random) {
          const at::Tensor drawn = layer->named_buffers()["random_mask"][head].to(at::kByte);
          ones.assign(drawn.data_ptr<std::uint8_t>(),
                      drawn.data_ptr<std::uint8_t>() + drawn.numel());
        }
        const auto expected = naiveMap(c, qkv, image, head, ones, masksOf(c)[head].alpha);
        for (int i = 0; i < tokens; ++i)
          for (int j = 0; j < tokens; ++j) {
            ASSERT_NEAR(at(map, {image, head, i, j}), expected[i * tokens + j], kTolerance)
                << c.masks[head] << " " << i << "," << j;
            mixed[image][i].slice(0, head * c.headWidth, (head + 1) * c.headWidth) +=
                expected[i * tokens + j] *
                qkv[image][j].slice(0, 2 * width + head * c.headWidth,
                                    2 * width + (head + 1) * c.headWidth);
          }
      }
    const at::Tensor expected =
        at::linear(mixed, p["proj.weight"].to(at::kDouble), p["proj.bias"].to(at::kDouble));
    EXPECT_LT((output - expected).abs().max().item<double>(), kTolerance);
  }
}

TEST_P(SoftmaxKernels, HaveGradientsThatAreFiniteDifferences) {
  constexpr double kStep = 1e-6, kTolerance = 1e-6;  // double precision, relative to 1 + |g|
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble, GetParam());
    const at::Tensor x =
        at::randn({2, c.grid.tokens(), c.heads * c.headWidth}, at::kDouble).requires_grad_();
    const at::Tensor weights = at::randn_like(x);
    const auto loss = [&] { return (layer->forward(x, nullptr) * weights).sum(); };
    loss().backward();
    auto tensors = layer->named_parameters();
    std::vector<std::pair<std::string, at::Tensor>> checked{{"input", x}};
    for (const auto& item : tensors)
      checked.emplace_back(item.key(), item.value());
    for (auto& [name, tensor] : checked) {
      ASSERT_TRUE(tensor.grad().defined()) << name;
      const at::Tensor flat = tensor.detach().view(-1), gradient = tensor.grad().view(-1);
      const auto stride = std::max<std::int64_t>(1, flat.numel() / 23);
      for (std::int64_t i = 0; i < flat.numel(); i += stride) {
        const double value = flat[i].item<double>();
        const at::NoGradGuard noGrad;
        flat[i].fill_(value + kStep);
        const double above = loss().item<double>();
        flat[i].fill_(value - kStep);
        const double below = loss().item<double>();
        flat[i].fill_(value);
        const double expected = (above - below) / (2 * kStep), got = gradient[i].item<double>();
        ASSERT_NEAR(got, expected, kTolerance * (1 + std::abs(expected))) << name << " " << i;
      }
    }
  }
}

TEST(DenseAttention, FusedEqualsPlainForwardAndBackward) {
  constexpr double kTolerance = 2e-6;  // both float32
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    const std::int64_t tokens = c.grid.tokens(), width = c.heads * c.headWidth;
    HeadLogits logits;
    const auto masks = masksOf(c);
    logits.alpha = at::full({c.heads}, 0.3).requires_grad_();
    for (const auto& mask : masks) {
      logits.rules.push_back(mask.kind == MaskKind::None     ? LogitRule::Keep
                             : mask.kind == MaskKind::Soft   ? LogitRule::Blend
                             : mask.kind == MaskKind::Strict ? LogitRule::Forbid
                                                             : LogitRule::Multiply);
      const auto ones = neighborhoodMask(c.grid, mask.window);
      at::Tensor m = at::empty({tokens, tokens});
      std::copy(ones.begin(), ones.end(), m.data_ptr<float>());
      logits.masks.push_back(m);
    }
    const at::Tensor base = at::randn({3, tokens, 3 * width});
    const at::Tensor upstream = at::randn({3, tokens, width});
    std::vector<at::Tensor> outputs, inputGradients, alphaGradients;
    for (const bool fused : {true, false}) {
      const at::Tensor qkv = base.clone().requires_grad_();
      logits.alpha.mutable_grad() = at::Tensor();
      const auto result = fused
                              ? headAttention(HeadInputs::packed(qkv, c.heads), logits, true)
                              : headAttentionPlain(HeadInputs::packed(qkv, c.heads), logits, true);
      (result.output * upstream).sum().backward();
      outputs.push_back(result.output.detach());
      inputGradients.push_back(qkv.grad());
      alphaGradients.push_back(logits.alpha.grad());
    }
    const auto difference = [](const std::vector<at::Tensor>& pair) {
      return ((pair[0] - pair[1]).abs() / (1 + pair[1].abs())).max().item<double>();
    };
    EXPECT_LT(difference(outputs), kTolerance);
    EXPECT_LT(difference(inputGradients), kTolerance);
    if (alphaGradients[1].defined()) {
      EXPECT_LT(difference(alphaGradients), 1e-5);
    }
  }
}

/// Output and gradient of a layer's attention (without its projections), for a given kernel and
/// number of threads.
std::vector<at::Tensor> run(const Case& c, const std::string& kernel, const at::Tensor& qkv,
                            const at::Tensor& upstream, int threads) {
  const int before = at::get_num_threads();
  at::set_num_threads(threads);
  const auto layer = makeLayer(c, qkv.scalar_type(), kernel);
  const at::Tensor input = qkv.clone().requires_grad_();
  const at::Tensor output = layer->attend(input).output;
  output.backward(upstream);
  at::set_num_threads(before);
  return {output.detach(), input.grad()};
}

TEST(LinearKernel, EqualsTheDenseOneInDoubleOnLargerGridsWhateverTheThreads) {
  const std::vector<Case> larger{{{20, 20, 1}, 3, 32, {"hard:3", "none", "strict:5"}},
                                 {{17, 31, 0}, 2, 24, {"hard:7", "random:3#2"}},
                                 {{28, 12, 2}, 2, 40, {"strict:3", "hard:1"}}};
  for (const Case& c : larger) {
    const std::int64_t width = c.heads * c.headWidth;
    const at::Tensor qkv = at::randn({2, c.grid.tokens(), 3 * width}) * 1.5;
    const at::Tensor upstream = at::randn({2, c.grid.tokens(), width});
    const auto two = run(c, "linear", qkv, upstream, 2), one = run(c, "linear", qkv, upstream, 1);
    const auto dense = run(c, "dense", qkv.to(at::kDouble), upstream.to(at::kDouble), 1);
    for (std::size_t i = 0; i < two.size(); ++i) {
      EXPECT_TRUE(at::equal(two[i], one[i])) << i;
      EXPECT_LT((two[i].to(at::kDouble) - dense[i]).abs().max().item<double>(), 1e-5) << i;
    }
  }
}

TEST(SoftmaxAttention, SoftAtItsEndsIsHardAndUnmasked) {
  Case c{{5, 5, 1}, 2, 8, {"soft:3@0.5", "soft:3@0.5"}};
  const at::Tensor x = at::randn({1, 26, 16});
  const at::NoGradGuard noGrad;
  const auto run = [&](const std::vector<std::string>& masks, double logit) {
    c.masks = masks;
    const auto layer = makeLayer(c, at::kFloat);
    if (layer->named_parameters().contains("soft_mask_logit"))
      layer->named_parameters()["soft_mask_logit"].fill_(logit);
    return layer->forward(x, nullptr);
  };
  const std::vector<std::string> soft{"soft:3", "soft:3"};
  const auto gap = [](const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
  };
  EXPECT_LT(gap(run(soft, -40), run({"hard:3", "hard:3"}, 0)), 1e-6);
  EXPECT_LT(gap(run(soft, 40), run({"none", "none"}, 0)), 1e-6);
  EXPECT_GT(gap(run({"hard:3", "hard:3"}, 0), run({"none", "none"}, 0)), 1e-3);
}

TEST(SoftmaxAttention, AWindowOverTheWholeGridChangesNothingAndStrictSeesOnlyItsOwn) {
  Case c{{3, 4, 1}, 2, 8, {"none", "none"}};
  const at::Tensor x = at::randn({1, 13, 16});
  const at::NoGradGuard noGrad;
  const at::Tensor open = makeLayer(c, at::kFloat)->forward(x, nullptr);
  for (const std::string kind : {"hard:9", "strict:9"}) {
    c.masks = {kind, kind};
    EXPECT_LT((makeLayer(c, at::kFloat)->forward(x, nullptr) - open).abs().max().item<float>(),
              1e-6);
  }
  c.masks = {"strict:3", "strict:1"};
  CollectingHook tap;
  makeLayer(c, at::kFloat)->forward(x, &tap);
  const auto ones = neighborhoodMask(c.grid, 3);
  for (int i = 0; i < 13; ++i)
    for (int j = 0; j < 13; ++j)
      if (!ones[i * 13 + j]) {
        EXPECT_EQ(tap.maps[0][0][0][i][j].item<float>(), 0.0f);
      }
}

TEST(SoftmaxAttention, ParametersAppearWhenAKindNeedsThem) {
  const Case c{{3, 3, 1}, 2, 4, {"none", "none"}};
  const auto layer = makeLayer(c, at::kFloat);
  EXPECT_EQ(layer->named_parameters().size(), 4u);
  layer->setMasks({*headMaskFromText("soft:3@0.2"), {}});
  EXPECT_TRUE(layer->named_parameters().contains("soft_mask_logit"));
  EXPECT_NEAR(layer->softAlphas()[0], 0.2, 1e-6);
  EXPECT_TRUE(std::isnan(layer->softAlphas()[1]));
  {
    const at::NoGradGuard noGrad;
    layer->named_parameters()["soft_mask_logit"].fill_(2.0);
  }
  layer->setMasks({*headMaskFromText("soft:3@0.2"), *headMaskFromText("soft:3@0.5")});
  EXPECT_NEAR(layer->softAlphas()[0], 1 / (1 + std::exp(-2.0)), 1e-6);  // what it learned stays
  EXPECT_NEAR(layer->softAlphas()[1], 0.5, 1e-6);
  layer->setMasks({{}, {}});
  layer->setMasks({*headMaskFromText("soft:5@0.2"), {}});
  EXPECT_NEAR(layer->softAlphas()[0], 1 / (1 + std::exp(-2.0)), 1e-6);  // also while it is away
  layer->setMasks({*headMaskFromText("soft:5@0.2~1"), {}});
  EXPECT_NEAR(layer->softAlphas()[0], 0.2, 1e-6);
  layer->setMasks({*headMaskFromText("random:3#4"), {}});
  EXPECT_TRUE(layer->named_buffers().contains("random_mask"));
}

}  // namespace headlight::attention_test
