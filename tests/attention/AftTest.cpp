// SPDX-License-Identifier: GPL-3.0-or-later

// AFT-full, AFT-local and AFT-simple against loops written from Eq. 2, 4 and 5 in double precision.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/attention/Mechanisms.h"
#include "core/attention/aft/AftAttention.h"
#include "core/attention/aft/AftBand.h"
#include "core/attention/kernels/KernelChoice.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"

namespace headlight::aft_test {

constexpr double kTolerance = 1e-5;  // float32 against double

struct Case {
  std::string mechanism;
  Json options;
  Grid grid;
  int heads, headWidth;

  int width() const { return heads * headWidth; }
};

std::vector<Case> cases() {
  return {{"aft_full", {{"rank", 3}}, {3, 4, 1}, 1, 5},
          {"aft_full", {{"rank", 7}}, {4, 4, 0}, 3, 4},
          {"aft_full", {{"factorized", false}}, {2, 5, 2}, 2, 3},
          {"aft_full", {{"rank", 4}, {"query", false}}, {5, 3, 0}, 2, 4},
          {"aft_local", {{"rank", 6}, {"window", 2}}, {5, 4, 1}, 2, 3},
          {"aft_local", {{"factorized", false}, {"window", 1}}, {3, 3, 2}, 1, 6},
          {"aft_local", {{"rank", 6}, {"window", 3}, {"global", false}}, {5, 5, 0}, 3, 2},
          {"aft_local", {{"rank", 6}, {"window", 1}, {"global", false}}, {2, 6, 1}, 1, 4},
          {"aft_simple", Json::object(), {4, 3, 1}, 2, 5},
          {"aft_simple", {{"query", false}}, {3, 3, 0}, 1, 4}};
}

std::shared_ptr<Attention> makeLayer(const Case& c, at::ScalarType type) {
  seedTorch(11);
  auto layer = makeAttention(
      c.mechanism,
      {.layer = 0, .width = c.width(), .heads = c.heads, .grid = c.grid, .options = c.options});
  const at::NoGradGuard noGrad;
  for (auto& item : layer->named_parameters())
    item.value().normal_(0, 0.6);  // biases that matter
  layer->to(type);
  return layer;
}

double value(const at::Tensor& t, std::int64_t i, std::int64_t j) {
  return t.accessor<double, 2>()[i][j];
}

/// Eq. 4: what stands between two tokens besides w. `counts`: w does; `connected`: the pair does.
struct Pair {
  bool counts = true, connected = true;
};
Pair pairOf(const Case& c, int t, int s) {
  if (c.mechanism == "aft_simple") return {false, true};
  const int a = t - c.grid.prefix, b = s - c.grid.prefix;
  if (c.mechanism == "aft_full" || a < 0 || b < 0) return {};
  const int window = c.options.at("window");
  const bool inside = std::abs(a / c.grid.cols - b / c.grid.cols) < window &&
                      std::abs(a % c.grid.cols - b % c.grid.cols) < window;
  return {inside, inside || c.options.value("global", true)};
}

double naiveBias(const Case& c, const torch::OrderedDict<std::string, at::Tensor>& parameters,
                 int t, int s) {
  const Pair pair = pairOf(c, t, s);
  if (!pair.connected) return -INFINITY;
  if (!pair.counts) return 0;
  if (parameters.contains("position_bias"))
    return value(parameters["position_bias"].to(at::kDouble), t, s);
  const at::Tensor u = parameters["position_u"].to(at::kDouble),
                   v = parameters["position_v"].to(at::kDouble);
  double sum = 0;
  for (int r = 0; r < u.size(1); ++r)
    sum += value(u, t, r) * value(v, s, r);
  return sum;
}

struct Naive {
  at::Tensor output, map;  ///< [T, D], [H, T, T]
};

/// One image [T, D] in double; every weight and sum of Eq. 2 and 3 by itself.
Naive naive(const Case& c, const Attention& layer, const at::Tensor& x) {
  const auto p = layer.named_parameters();
  const auto project = [&](const std::string& name, const at::Tensor& input) {
    return at::linear(input, p[name + ".weight"].to(at::kDouble),
                      p[name + ".bias"].to(at::kDouble));
  };
  const int tokens = c.grid.tokens();
  const at::Tensor keys = project("k", x), values = project("v", x);
  const bool gated = c.options.value("query", true);
  const at::Tensor queries = gated ? project("q", x) : at::Tensor();
  Naive result{at::zeros({tokens, c.width()}, at::kDouble),
               at::zeros({c.heads, tokens, tokens}, at::kDouble)};
  auto output = result.output.accessor<double, 2>();
  auto map = result.map.accessor<double, 3>();
  for (int t = 0; t < tokens; ++t) {
    std::vector<double> bias(tokens);
    for (int s = 0; s < tokens; ++s)
      bias[s] = naiveBias(c, p, t, s);
    for (int f = 0; f < c.width(); ++f) {
      double weights = 0, sum = 0;
      for (int s = 0; s < tokens; ++s) {
        const double weight = std::exp(value(keys, s, f) + bias[s]);
        weights += weight;
        sum += weight * value(values, s, f);
      }
      const double gate = gated ? 1 / (1 + std::exp(-value(queries, t, f))) : 1;
      output[t][f] = gate * sum / weights;
      for (int s = 0; s < tokens; ++s)
        map[f / c.headWidth][t][s] += std::exp(value(keys, s, f) + bias[s]) / weights / c.headWidth;
    }
  }
  result.output = project("proj", result.output);
  return result;
}

double gap(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

TEST(Aft, EqualsTheNaiveReference) {
  const at::NoGradGuard noGrad;
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()});
    CollectingHook tap;
    const at::Tensor output = layer->forward(x, &tap);
    EXPECT_EQ(gap(output, layer->forward(x, nullptr)), 0);
    ASSERT_EQ(tap.maps.at(0).sizes(),
              (std::vector<std::int64_t>{2, c.heads, c.grid.tokens(), c.grid.tokens()}));
    for (int image = 0; image < 2; ++image) {
      const Naive expected = naive(c, *layer, x[image].to(at::kDouble));
      EXPECT_LT(gap(output[image], expected.output), kTolerance) << c.mechanism << c.options;
      EXPECT_LT(gap(tap.maps[0][image], expected.map), kTolerance) << c.mechanism << c.options;
    }
    EXPECT_LT((tap.maps[0].sum(-1) - 1).abs().max().item<float>(), kTolerance);
  }
}

TEST(Aft, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble);
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(Aft, ALocalOneWithAFullWindowIsFullAndWithNoneIsSimple) {
  const at::NoGradGuard noGrad;
  const Grid grid{3, 5, 1};
  Case full{"aft_full", {{"rank", 4}}, grid, 2, 4};
  const at::Tensor x = at::randn({2, grid.tokens(), 8});
  const auto run = [&](const std::string& mechanism, const Json& options) {
    const auto layer = makeLayer({mechanism, options, grid, 2, 4}, at::kFloat);
    auto mine = layer->named_parameters();
    for (const auto& item : makeLayer(full, at::kFloat)->named_parameters())
      if (auto* own = mine.find(item.key())) own->copy_(item.value());
    return layer->forward(x, nullptr);
  };
  const at::Tensor whole = run("aft_full", {{"rank", 4}});
  for (const bool global : {true, false})
    EXPECT_EQ(gap(run("aft_local", {{"rank", 4}, {"window", 5}, {"global", global}}), whole), 0);
  EXPECT_GT(gap(run("aft_local", {{"rank", 4}, {"window", 4}}), whole), 1e-4);
  EXPECT_GT(gap(run("aft_local", {{"rank", 4}, {"window", 4}, {"global", false}}), whole), 1e-4);
  const at::Tensor simple = run("aft_simple", Json::object());
  EXPECT_LT(gap(run("aft_local", {{"rank", 4}, {"window", 0}}), simple), 1e-6);
  EXPECT_GT(gap(simple, whole), 1e-3);
}

/// AFT-local's cases, and windows about as wide as the grid and wider.
std::vector<Case> bandCases() {
  return {{"aft_local", {{"rank", 3}, {"window", 1}}, {4, 3, 1}, 1, 3},
          {"aft_local", {{"rank", 5}, {"window", 2}}, {5, 4, 2}, 1, 4},
          {"aft_local", {{"rank", 5}, {"window", 2}}, {1, 6, 0}, 1, 2},
          {"aft_local", {{"rank", 5}, {"window", 3}, {"global", false}}, {6, 2, 1}, 1, 3},
          {"aft_local", {{"rank", 4}, {"window", 2}, {"global", false}}, {3, 5, 0}, 1, 3},
          {"aft_local", {{"factorized", false}, {"window", 3}}, {6, 5, 1}, 1, 3},
          {"aft_local", {{"factorized", false}, {"window", 9}}, {3, 4, 0}, 1, 4}};
}

AftBand bandOf(const Case& c) {
  return {c.grid, c.options["window"].get<int>(), c.options.value("global", true)};
}

AftBandBiases biasesOf(const AftBand& band, const Attention& layer) {
  const auto p = layer.named_parameters();
  const auto* whole = p.find("position_bias");
  return whole ? band.biases(*whole) : band.biases(p["position_u"], p["position_v"]);
}

/// Eq. 4 without the query gate, of one image [T, D] in double.
at::Tensor naiveContext(const Case& c, const Attention& layer, const at::Tensor& keys,
                        const at::Tensor& values) {
  const auto p = layer.named_parameters();
  at::Tensor result = at::zeros_like(keys);
  for (int t = 0; t < keys.size(0); ++t)
    for (int f = 0; f < keys.size(1); ++f) {
      double weights = 0, sum = 0;
      for (int s = 0; s < keys.size(0); ++s) {
        const double weight = std::exp(value(keys, s, f) + naiveBias(c, p, t, s));
        weights += weight;
        sum += weight * value(values, s, f);
      }
      result[t][f].fill_(sum / weights);
    }
  return result;
}

TEST(AftBand, EqualsTheNaiveReferenceAndThePlainForm) {
  const at::NoGradGuard noGrad;
  for (const Case& c : bandCases()) {
    const auto layer = makeLayer(c, at::kDouble);
    const at::Tensor keys = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble) * 2,
                     values = at::randn_like(keys);
    AftBand band = bandOf(c);
    const at::Tensor output = band.context(keys, values, biasesOf(band, *layer));
    for (int image = 0; image < 2; ++image)
      EXPECT_LT(gap(output[image], naiveContext(c, *layer, keys[image], values[image])), 1e-12)
          << c.options;
    const at::Tensor bias = dynamic_cast<AftLocal&>(*layer).positionBias();
    EXPECT_LT(gap(output, aftContext(keys, values, bias)), 1e-12) << c.options;
    layer->to(at::kFloat);
    const at::Tensor single =
        band.context(keys.to(at::kFloat), values.to(at::kFloat), biasesOf(band, *layer));
    EXPECT_LT(gap(single, output), kTolerance) << c.options;
  }
}

TEST(AftBand, GradientsAreFiniteDifferences) {
  for (const Case& c : bandCases()) {
    const auto layer = makeLayer(c, at::kDouble);
    torch::nn::Module holder;  // of the parameters that the context has
    for (const auto& item : layer->named_parameters())
      if (item.key().starts_with("position_")) holder.register_parameter(item.key(), item.value());
    AftBand band = bandOf(c);
    const at::Tensor values = holder.register_parameter(
        "values", at::randn({2, c.grid.tokens(), c.width()}, at::kDouble));
    const at::Tensor keys = at::randn_like(values).detach().requires_grad_();
    const at::Tensor weights = at::randn_like(values).detach();
    testing::expectFiniteDifferences(holder, keys, [&] {
      return (band.context(keys, values, biasesOf(band, *layer)) * weights).sum();
    });
  }
}

/// A key that all others are nothing beside, and biases that hide it: what is left keeps its
/// digits.
TEST(AftBand, WhatIsLeftBesideAHiddenGiantKeepsItsDigits) {
  const at::NoGradGuard noGrad;
  const Case c{"aft_local", {{"factorized", false}, {"window", 2}}, {6, 3, 0}, 1, 2};
  const auto layer = makeLayer(c, at::kFloat);
  at::Tensor bias = layer->named_parameters()["position_bias"];
  const int giant = 7;
  bias.select(1, giant).fill_(-30);
  at::Tensor keys = at::randn({1, 18, 2}), values = at::randn({1, 18, 2});
  keys[0][giant].fill_(25);
  AftBand band = bandOf(c);
  const at::Tensor expected =
      naiveContext(c, *layer, keys[0].to(at::kDouble), values[0].to(at::kDouble));
  EXPECT_LT(gap(band.context(keys, values, biasesOf(band, *layer))[0], expected), 1e-4);
}

TEST(AftBand, IsWhatALargeGridWithASmallWindowRunsBy) {
  EXPECT_FALSE(AftBand::isFaster({14, 14, 1}, 4));  // as the paper's images are cut
  EXPECT_FALSE(AftBand::isFaster({56, 56, 0}, 0));
  EXPECT_FALSE(AftBand::isFaster({1, 1024, 0}, 32));
  EXPECT_FALSE(AftBand::isFaster({28, 28, 1}, 4));
  EXPECT_TRUE(AftBand::isFaster({28, 28, 1}, 2));
  const Case c{"aft_local", {{"rank", 4}, {"window", 1}}, {25, 25, 1}, 1, 3};
  const auto layer = makeLayer(c, at::kDouble);
  const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble);
  const auto run = [&] {
    layer->zero_grad();
    const at::Tensor output = layer->forward(x, nullptr);
    output.pow(2).sum().backward();
    std::vector<at::Tensor> all{output.detach()};
    for (const at::Tensor& parameter : layer->parameters())
      all.push_back(parameter.grad().clone());
    return all;
  };
  const std::string text = layer->kernelText();
  const auto banded = run();
  const PlainKernels plain;
  EXPECT_NE(layer->kernelText(), text);
  const auto dense = run();
  for (std::size_t i = 0; i < dense.size(); ++i)
    EXPECT_LT(gap(banded[i], dense[i]), 1e-11 * (1 + dense[i].abs().max().item<double>())) << i;
  EXPECT_GT(gap(banded[0], dense[0]), 0);  // or one of them ran twice
}

/// Eq. 4 costs what its window holds, not T² (AFT, Table 1).
TEST(AftBand, IsCountedByItsPairs) {
  const Grid grid{28, 28, 1};
  std::int64_t pairs = 0;
  for (int t = 0; t < grid.tokens(); ++t)
    for (int s = 0; s < grid.tokens(); ++s)
      pairs += t == 0 || s == 0 || std::abs((t - 1) / 28 - (s - 1) / 28) < 2;
  EXPECT_EQ(AftBand::pairs(grid, 2), pairs);
  const auto sums = [](int window) {
    CostCounter counter;
    findMechanism("aft_local")
        .count(counter, {.width = 8,
                         .heads = 2,
                         .grid = {28, 28, 1},
                         .options = {{"rank", 4}, {"window", window}}});
    for (const LayerCost& layer : counter.cost().layers)
      if (layer.name == "sums") return layer.macs;
    return std::int64_t{0};
  };
  EXPECT_EQ(sums(2), 2 * pairs * 8);
  EXPECT_EQ(sums(14), 2 * 785 * 785 * 8);
}

TEST(Aft, LargeKeysAndBiasesStayInRange) {
  // Eq. 2 does not change when a constant is added to K of a feature or to a row of w.
  const at::Tensor keys = at::randn({1, 6, 4}), values = at::randn({1, 6, 4}),
                   bias = at::randn({6, 6});
  const at::Tensor small = aftContext(keys, values, bias);
  EXPECT_LT(gap(aftContext(keys + 500, values, bias - 300), small), 1e-3);  // 500 costs digits
  EXPECT_LT(gap(aftContext(keys - 500, values, bias + 300, AftOrder::Causal),
                aftContext(keys, values, bias, AftOrder::Causal)),
            1e-3);
  for (const auto order : {AftOrder::Everywhere, AftOrder::Causal}) {
    const at::Tensor wide = (keys * 200).requires_grad_();
    const at::Tensor output = aftContext(wide, values, bias * 50, order);
    output.sum().backward();
    EXPECT_TRUE(output.isfinite().all().item<bool>());
    EXPECT_TRUE(wide.grad().isfinite().all().item<bool>());
  }
}

/// Eq. 2 with the sum limited to t' ≤ t, by loops; one image.
at::Tensor naiveCausal(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& bias) {
  at::Tensor result = at::zeros_like(keys);
  auto out = result.accessor<double, 2>();
  for (int t = 0; t < keys.size(0); ++t)
    for (int f = 0; f < keys.size(1); ++f) {
      double weights = 0, sum = 0;
      for (int s = 0; s <= t; ++s) {
        const double weight =
            std::exp(value(keys, s, f) + (bias.defined() ? value(bias, t, s) : 0.0));
        weights += weight;
        sum += weight * value(values, s, f);
      }
      out[t][f] = sum / weights;
    }
  return result;
}

TEST(AftCausal, EqualsTheNaiveReferenceAndItsGradientsAreFiniteDifferences) {
  constexpr std::int64_t kTokens = 13, kWidth = 5;
  for (const bool biased : {true, false}) {
    torch::nn::Module holder;
    const at::Tensor keys = at::randn({2, kTokens, kWidth}, at::kDouble) * 2;
    const at::Tensor values = holder.register_parameter(
        "values", at::randn({2, kTokens, kWidth}, at::kDouble).requires_grad_());
    at::Tensor bias;
    if (biased)
      bias = holder.register_parameter("bias",
                                       at::randn({kTokens, kTokens}, at::kDouble).requires_grad_());
    const at::Tensor output = aftContext(keys, values, bias, AftOrder::Causal);
    const at::Tensor single =
        aftContext(keys.to(at::kFloat), values.detach().to(at::kFloat),
                   biased ? bias.detach().to(at::kFloat) : bias, AftOrder::Causal);
    for (int image = 0; image < 2; ++image) {
      const at::Tensor expected =
          naiveCausal(keys[image], values[image].detach(), biased ? bias.detach() : at::Tensor());
      EXPECT_LT(gap(output[image], expected), 1e-12);
      EXPECT_LT(gap(single[image], expected), kTolerance);
    }
    const at::Tensor input = keys.detach().requires_grad_();
    const at::Tensor weights = at::randn_like(values);
    testing::expectFiniteDifferences(holder, input, [&] {
      return (aftContext(input, values, bias, AftOrder::Causal) * weights).sum();
    });
  }
}

TEST(AftCausal, LaterTokensNeverInfluenceEarlierOnes) {
  constexpr std::int64_t kTokens = 40, kWidth = 8, kNow = 17;
  // A sequence is a grid of one row: full, local (Eq. 4), local without the rest, simple.
  const at::Tensor outside = aftWindow({1, kTokens, 0}, 4).logical_not(),
                   drawn = at::randn({kTokens, kTokens});
  for (const at::Tensor& bias : {drawn, drawn.masked_fill(outside, 0.0),
                                 drawn.masked_fill(outside, -INFINITY), at::Tensor()})
    for (const double size : {1.0, 30.0}) {
      const at::Tensor keys = at::randn({2, kTokens, kWidth}).requires_grad_(),
                       values = at::randn({2, kTokens, kWidth}).requires_grad_();
      const auto earlier = [&](const at::Tensor& k, const at::Tensor& v) {
        return aftContext(k, v, bias, AftOrder::Causal).slice(1, 0, kNow);
      };
      const at::Tensor before = earlier(keys, values);
      at::Tensor otherKeys = keys.detach().clone(), otherValues = values.detach().clone();
      otherKeys.slice(1, kNow).copy_(at::randn({2, kTokens - kNow, kWidth}) + size);
      otherValues.slice(1, kNow).normal_(0, 100);
      EXPECT_TRUE(at::equal(before, earlier(otherKeys, otherValues)));
      otherKeys.slice(1, kNow - 1, kNow).add_(1);  // and the test can tell
      EXPECT_FALSE(at::equal(before, earlier(otherKeys, otherValues)));
      before.sum().backward();
      EXPECT_EQ(keys.grad().slice(1, kNow).abs().max().item<float>(), 0);
      EXPECT_EQ(values.grad().slice(1, kNow).abs().max().item<float>(), 0);
      EXPECT_GT(values.grad().slice(1, 0, kNow).abs().min().item<float>(), 0);
    }
}

TEST(Aft, NonsenseIsRefusedByItsPath) {
  const auto pathOf = [](const std::string& mechanism, const Json& options, Grid grid) {
    try {
      makeAttention(mechanism, {.width = 8, .heads = 2, .grid = grid, .options = options});
    } catch (const Failure& failure) {
      return failure.error().where;
    }
    return std::string("accepted");
  };
  EXPECT_EQ(pathOf("aft_full", {{"rank", 0}}, {}), "model.attention.rank");
  EXPECT_EQ(pathOf("aft_full", {{"window", 3}}, {}), "model.attention.window");
  EXPECT_EQ(pathOf("aft_simple", {{"rank", 3}}, {}), "model.attention.rank");
  EXPECT_EQ(pathOf("aft_full", {{"factorized", false}}, {65, 64, 0}), "model.attention.factorized");
  EXPECT_EQ(pathOf("aft_local", {{"window", 0}, {"global", false}}, {}), "model.attention.window");
  EXPECT_EQ(pathOf("aft_local", {{"window", 0}}, {}), "accepted");
  for (const char* name : {"aft_full", "aft_local", "aft_simple", "aft_conv"}) {
    const auto layer = makeAttention(name, {.width = 8, .heads = 2, .grid = {}});
    EXPECT_THROW(layer->setMasks({*headMaskFromText("hard:3"), {}}), Failure) << name;
    EXPECT_FALSE(findMechanism(name).variant.maskable) << name;
  }
}

}  // namespace headlight::aft_test
