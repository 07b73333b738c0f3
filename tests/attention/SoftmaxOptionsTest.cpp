// SPDX-License-Identifier: GPL-3.0-or-later

// Softmax attention with what BEiT, EVA-02 and DINOv3 add to it, against loops written from their
// definitions in double precision, and gradients.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/base/Result.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"

namespace headlight::softmax_options_test {

constexpr int kHeads = 2, kHeadWidth = 8, kWidth = kHeads * kHeadWidth;

struct Case {
  std::string name;
  Json options;
  Grid grid{2, 3, 1};
  bool keyBias = true;
  std::vector<std::string> masks{"none", "none"};
};

std::vector<Case> cases() {
  return {{"relative", {{"relative_positions", true}}, {2, 3, 1}, false},
          {"relative, masked",
           {{"relative_positions", true}},
           {3, 3, 1},
           false,
           {"hard:3", "soft:3@0.3"}},
          {"axial", {{"rotary", "axial"}, {"rotary_temperature", 50}}},
          {"axial, scaled", {{"rotary", "axial"}, {"rotary_reference", {5, 4}}}, {3, 2, 2, 1}},
          {"axial, masked", {{"rotary", "axial"}}, {3, 3, 1}, true, {"strict:3", "hard:1"}},
          {"dinov3", {{"rotary", "dinov3"}, {"rotary_temperature", 100}}, {2, 3, 5, 4}, false},
          {"apart, normed", {{"apart", true}, {"inner_norm", true}}, {2, 2, 0}, false}};
}

std::shared_ptr<SoftmaxAttention> makeLayer(const Case& c, at::ScalarType type) {
  seedTorch(9);
  auto layer = std::make_shared<SoftmaxAttention>(AttentionOptions{.width = kWidth,
                                                                   .heads = kHeads,
                                                                   .keyBias = c.keyBias,
                                                                   .grid = c.grid,
                                                                   .options = c.options});
  {
    const at::NoGradGuard noGrad;
    for (auto& item : layer->named_parameters())
      item.value().normal_(item.key().find("norm") == 0 ? 1 : 0, 0.5);
  }
  layer->to(type);
  std::vector<HeadMask> masks;
  for (const auto& text : c.masks)
    masks.push_back(*headMaskFromText(text));
  layer->setMasks(masks);
  return layer;
}

/// A parameter in double, or zeros of `like`'s first size where there is none.
at::Tensor parameter(const torch::nn::Module& layer, const std::string& name, int size = kWidth) {
  const auto parameters = layer.named_parameters();
  const auto* found = parameters.find(name);
  return found ? found->detach().to(at::kDouble) : at::zeros({size}, at::kDouble);
}

at::Tensor projected(const Case& c, const SoftmaxAttention& layer, const at::Tensor& x, int which) {
  if (c.options.contains("apart")) {
    const std::string name = std::vector<std::string>{"q_proj", "k_proj", "v_proj"}[which];
    return at::linear(x, parameter(layer, name + ".weight"), parameter(layer, name + ".bias"));
  }
  const at::Tensor weight =
      parameter(layer, "qkv.weight").slice(0, which * kWidth, (which + 1) * kWidth);
  at::Tensor bias =
      parameter(layer, "qkv.bias", 3 * kWidth).slice(0, which * kWidth, (which + 1) * kWidth);
  if (!c.keyBias && which != 1) bias = parameter(layer, which == 0 ? "q_bias" : "v_bias");
  return at::linear(x, weight, bias);
}

/// Turns the features of one patch by the angles of its place, pair by pair.
void turn(const Case& c, int patch, double* x) {
  const bool dino = c.options["rotary"] == "dinov3";
  const double temperature = c.options.value("rotary_temperature", 10000.0);
  const int quarter = kHeadWidth / 4;
  for (int side = 0; side < 2; ++side)
    for (int band = 0; band < quarter; ++band) {
      const int place = side == 0 ? patch / c.grid.cols : patch % c.grid.cols;
      const int length = side == 0 ? c.grid.rows : c.grid.cols;
      double angle = place / std::pow(temperature, double(band) / quarter);
      if (c.options.contains("rotary_reference"))
        angle *= c.options["rotary_reference"][side].get<double>() / length;
      if (dino)
        angle = 2 * M_PI * (2 * (place + 0.5) / length - 1) /
                std::pow(temperature, 2.0 * band / (kHeadWidth / 2));
      const int pair = side * quarter + band;
      const int first = dino ? pair : 2 * pair, second = dino ? pair + kHeadWidth / 2 : first + 1;
      const double a = x[first], b = x[second];
      x[first] = a * std::cos(angle) - b * std::sin(angle);
      x[second] = b * std::cos(angle) + a * std::sin(angle);
    }
}

double relativeBias(const Case& c, const at::Tensor& table, int head, int query, int key) {
  const int offsets = (2 * c.grid.rows - 1) * (2 * c.grid.cols - 1);
  int row = 0;
  if (query == 0 && key == 0)
    row = offsets + 2;
  else if (query == 0)
    row = offsets;
  else if (key == 0)
    row = offsets + 1;
  else {
    const int down = (query - 1) / c.grid.cols - (key - 1) / c.grid.cols,
              right = (query - 1) % c.grid.cols - (key - 1) % c.grid.cols;
    row = (down + c.grid.rows - 1) * (2 * c.grid.cols - 1) + right + c.grid.cols - 1;
  }
  return table[row][head].item<double>();
}

double maskedLogit(const HeadMask& mask, const Grid& grid, int query, int key, double logit) {
  const int q = query - grid.prefix, k = key - grid.prefix;
  const int reach = (mask.window - 1) / 2;
  const bool sees = q < 0 || k < 0 ||
                    (std::abs(q / grid.cols - k / grid.cols) <= reach &&
                     std::abs(q % grid.cols - k % grid.cols) <= reach);
  if (mask.kind == MaskKind::None || sees) return logit;
  if (mask.kind == MaskKind::Strict) return -INFINITY;
  return mask.kind == MaskKind::Soft ? mask.alpha * logit : 0.0;
}

/// [T, T] and [T, d] of one head.
std::pair<at::Tensor, at::Tensor> naiveHead(const Case& c, const SoftmaxAttention& layer, int head,
                                            at::Tensor q, at::Tensor k, const at::Tensor& v) {
  const int tokens = c.grid.tokens();
  q = q.clone();
  k = k.clone();
  for (int patch = 0; c.options.contains("rotary") && patch < c.grid.patches(); ++patch)
    for (at::Tensor* x : {&q, &k})
      turn(c, patch, x->data_ptr<double>() + (c.grid.prefix + patch) * kHeadWidth);
  const at::Tensor map = at::zeros({tokens, tokens}, at::kDouble);
  for (int i = 0; i < tokens; ++i)
    for (int j = 0; j < tokens; ++j) {
      double logit = (q[i] * k[j]).sum().item<double>() / std::sqrt(double(kHeadWidth));
      if (c.options.contains("relative_positions"))
        logit += relativeBias(c, parameter(layer, "relative_position_bias_table"), head, i, j);
      map[i][j] = maskedLogit(*headMaskFromText(c.masks[head]), c.grid, i, j, logit);
    }
  const at::Tensor weights = map.softmax(1);
  return {weights, at::matmul(weights, v)};
}

TEST(SoftmaxOptions, EqualTheNaiveReference) {
  constexpr double kTolerance = 2e-5;  // float32 against double, logits of several units
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    const at::Tensor x = at::randn({1, c.grid.tokens(), kWidth});
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap).to(at::kDouble);
    const at::Tensor exact = x[0].to(at::kDouble);
    std::vector<at::Tensor> mixed;
    for (int head = 0; head < kHeads; ++head) {
      const auto part = [&](int which) {
        return projected(c, *layer, exact, which)
            .slice(1, head * kHeadWidth, (head + 1) * kHeadWidth)
            .contiguous();
      };
      const auto [map, out] = naiveHead(c, *layer, head, part(0), part(1), part(2));
      EXPECT_LT((tap.maps.at(0)[0][head].to(at::kDouble) - map).abs().max().item<double>(),
                kTolerance)
          << c.name << " " << head;
      mixed.push_back(out);
    }
    at::Tensor joined = at::cat(mixed, 1);
    if (c.options.contains("inner_norm")) {
      const at::Tensor centerd = joined - joined.mean(1, true);
      joined = centerd / (centerd.square().mean(1, true) + 1e-6).sqrt() *
                   parameter(*layer, "norm.weight") +
               parameter(*layer, "norm.bias");
    }
    const at::Tensor expected =
        at::linear(joined, parameter(*layer, "proj.weight"), parameter(*layer, "proj.bias"));
    EXPECT_LT((output[0] - expected).abs().max().item<double>(), kTolerance) << c.name;
  }
}

TEST(SoftmaxOptions, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble);
    const at::Tensor x = at::randn({2, c.grid.tokens(), kWidth}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
    if (HasFatalFailure()) FAIL() << c.name;
  }
}

TEST(SoftmaxOptions, WhatDoesNotFitIsRefused) {
  const auto make = [](const Json& options, Grid grid, int width) {
    SoftmaxAttention({.width = width, .heads = 2, .grid = grid, .options = options});
  };
  EXPECT_THROW(make({{"relative_positions", true}}, {2, 2, 0}, 16), Failure);
  EXPECT_THROW(make({{"relative_positions", true}}, {2, 2, 2}, 16), Failure);
  EXPECT_THROW(make({{"relative_positions", true}}, {2, 2, 1, 1}, 16), Failure);
  EXPECT_THROW(make({{"rotary", "axial"}}, {2, 2, 1}, 12), Failure);
  EXPECT_THROW(make({{"rotary", "axial"}, {"rotary_reference", {1, 2, 3}}}, {2, 2, 1}, 16),
               Failure);
}

}  // namespace headlight::softmax_options_test
