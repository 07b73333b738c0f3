// SPDX-License-Identifier: GPL-3.0-or-later

// AFT-conv against loops written from Eq. 6 in double precision, its parametrization (Eq. 8) and
// its sparse kinds (Eq. 9, 10).

#include "core/attention/aft/AftConv.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"

namespace headlight::aft_conv_test {

constexpr double kTolerance = 1e-5;  // float32 against double

struct Case {
  Json options;
  Grid grid;
  int heads, headWidth;

  int width() const { return heads * headWidth; }
  int kernel() const { return options.at("kernel"); }
  bool on(const char* option) const { return options.value(option, true); }
};

/// Kernels smaller than the grid, wider than it, and wider than any offset on it.
std::vector<Case> cases() {
  return {{{{"kernel", 3}}, {4, 5, 0}, 2, 4},
          {{{"kernel", 5}}, {6, 3, 0}, 3, 3},
          {{{"kernel", 5}}, {4, 4, 1}, 1, 6},
          {{{"kernel", 3}}, {3, 5, 2}, 6, 1},
          {{{"kernel", 9}}, {2, 4, 1}, 2, 2},
          {{{"kernel", 1}, {"reparametrize", false}}, {3, 3, 0}, 2, 3},
          {{{"kernel", 5}, {"reparametrize", false}, {"query", false}}, {5, 4, 0}, 2, 4},
          {{{"kernel", 3}, {"global", false}}, {5, 4, 0}, 2, 3},
          {{{"kernel", 3}, {"global", false}}, {4, 4, 1}, 3, 2}};
}

std::shared_ptr<AftConv> makeLayer(const Case& c, at::ScalarType type) {
  seedTorch(12);
  auto layer = std::make_shared<AftConv>(AttentionOptions{
      .layer = 0, .width = c.width(), .heads = c.heads, .grid = c.grid, .options = c.options});
  const at::NoGradGuard noGrad;
  for (auto& item : layer->named_parameters())
    item.value().normal_(0, 0.6);
  layer->to(type);
  return layer;
}

double gap(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

/// Eq. 8 of one head's taps.
std::vector<double> naiveTaps(const AftConv& layer, int head) {
  const auto p = layer.named_parameters();
  const at::Tensor raw = p["position_bias"][head].to(at::kDouble).flatten().contiguous();
  std::vector<double> taps(raw.data_ptr<double>(), raw.data_ptr<double>() + raw.numel());
  if (!p.contains("position_gain")) return taps;
  double mean = 0, variance = 0;
  for (const double tap : taps)
    mean += tap / taps.size();
  for (const double tap : taps)
    variance += (tap - mean) * (tap - mean) / taps.size();
  for (double& tap : taps)
    tap = p["position_gain"][head].item<double>() * (tap - mean) / std::sqrt(variance) +
          p["position_shift"][head].item<double>();
  return taps;
}

/// What a patch's window adds to the sums over all tokens: conv(·, e^w − 1) of Eq. 6 at patch t.
/// For `global` off e^w instead, and prefix tokens' terms.
double naiveNear(const Case& c, const std::vector<double>& taps, const std::vector<double>& terms,
                 int t) {
  const int side = c.kernel(), row = t / c.grid.cols, col = t % c.grid.cols;
  double sum = 0;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const int y = row + i - side / 2, x = col + j - side / 2;
      if (y < 0 || y >= c.grid.rows || x < 0 || x >= c.grid.cols) continue;
      const double weight = std::exp(taps[i * side + j]) - (c.on("global") ? 1 : 0);
      sum += weight * terms[c.grid.prefix + y * c.grid.cols + x];
    }
  return sum;
}

/// Numerator or denominator of Eq. 6 at token t.
double naiveSum(const Case& c, const std::vector<double>& taps, const std::vector<double>& terms,
                int t) {
  double all = 0, prefix = 0;
  for (int s = 0; s < c.grid.tokens(); ++s) {
    all += terms[s];
    if (s < c.grid.prefix) prefix += terms[s];
  }
  if (t < c.grid.prefix) return all;
  return naiveNear(c, taps, terms, t - c.grid.prefix) + (c.on("global") ? all : prefix);
}

at::Tensor naive(const Case& c, const AftConv& layer, const at::Tensor& x) {
  const auto p = layer.named_parameters();
  const auto project = [&](const std::string& name, const at::Tensor& input) {
    return at::linear(input, p[name + ".weight"].to(at::kDouble),
                      p[name + ".bias"].to(at::kDouble));
  };
  const int tokens = c.grid.tokens();
  const at::Tensor k = project("k", x), v = project("v", x);
  const at::Tensor gates = c.on("query") ? project("q", x).sigmoid() : at::ones_like(v);
  const auto keys = k.accessor<double, 2>(), values = v.accessor<double, 2>();
  at::Tensor reduced = at::zeros({tokens, c.width()}, at::kDouble);
  auto out = reduced.accessor<double, 2>();
  for (int head = 0; head < c.heads; ++head) {
    const auto taps = naiveTaps(layer, head);
    for (int f = head * c.headWidth; f < (head + 1) * c.headWidth; ++f) {
      std::vector<double> weights(tokens), terms(tokens);
      for (int s = 0; s < tokens; ++s) {
        weights[s] = std::exp(keys[s][head]);
        terms[s] = weights[s] * values[s][f];
      }
      for (int t = 0; t < tokens; ++t)
        out[t][f] = naiveSum(c, taps, terms, t) / naiveSum(c, taps, weights, t);
    }
  }
  return project("proj", gates * reduced);
}

TEST(AftConv, EqualsTheNaiveReference) {
  const at::NoGradGuard noGrad;
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()});
    const at::Tensor output = layer->forward(x, nullptr);
    for (int image = 0; image < 2; ++image)
      EXPECT_LT(gap(output[image], naive(c, *layer, x[image].to(at::kDouble))), kTolerance)
          << c.options << image;
  }
}

TEST(AftConv, TheMapTimesTheValuesIsTheSame) {  // the convolution and the matrix product agree
  for (const Case& c : cases())
    for (const auto type : {at::kFloat, at::kDouble}) {
      const std::int64_t tokens = c.grid.tokens();
      const at::Tensor keys = at::randn({2, tokens, c.heads}, type) * 2,
                       values = at::randn({2, tokens, c.width()}, type),
                       bias = at::randn({c.heads, c.kernel(), c.kernel()}, type);
      const at::Tensor map = aftConvMap(keys, bias, c.grid, c.on("global"));
      ASSERT_EQ(map.sizes(), (std::vector<std::int64_t>{2, c.heads, tokens, tokens}));
      EXPECT_LT((map.sum(-1) - 1).abs().max().item<double>(), 1e-6);
      EXPECT_GE(map.min().item<double>(), 0);
      const at::Tensor byHead = values.view({2, tokens, c.heads, c.headWidth}).transpose(1, 2);
      const at::Tensor product =
          at::matmul(map, byHead).transpose(1, 2).reshape({2, tokens, c.width()});
      EXPECT_LT(gap(aftConvContext(keys, values, bias, c.grid, c.on("global")), product),
                type == at::kFloat ? kTolerance : 1e-12)
          << c.options;
    }
}

TEST(AftConv, TheTapGetsTheMapOfThisPass) {
  const Case c = cases()[2];
  const auto layer = makeLayer(c, at::kDouble);
  const at::NoGradGuard noGrad;
  const at::Tensor x = at::randn({1, c.grid.tokens(), c.width()}, at::kDouble);
  CollectingHook tap;
  EXPECT_EQ(gap(layer->forward(x, &tap), layer->forward(x, nullptr)), 0);
  const auto p = layer->named_parameters();
  const at::Tensor keys = at::linear(x, p["k.weight"], p["k.bias"]);
  EXPECT_EQ(gap(tap.maps.at(0), aftConvMap(keys, layer->positionBias(), c.grid)), 0);
}

TEST(AftConv, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble);
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(AftConv, StartsAsAftSimple) {  // Eq. 8 with γ = β = 0: w = 0
  const Grid grid{4, 4, 1};
  seedTorch(4);
  AftConv layer({.width = 12, .heads = 12, .grid = grid, .options = {{"kernel", 3}}});
  AftSimple simple({.width = 12, .heads = 3, .grid = grid});
  const at::NoGradGuard noGrad;
  EXPECT_EQ(layer.positionBias().abs().max().item<float>(), 0);
  EXPECT_GT(layer.named_parameters()["position_bias"].abs().min().item<float>(), 0);
  auto from = layer.named_parameters();
  for (auto& item : simple.named_parameters())
    item.value().copy_(from[item.key()]);
  const at::Tensor x = at::randn({2, grid.tokens(), 12});
  EXPECT_LT(gap(layer.forward(x, nullptr), simple.forward(x, nullptr)), 1e-6);
  layer.named_parameters()["position_gain"].fill_(1);
  EXPECT_GT(gap(layer.forward(x, nullptr), simple.forward(x, nullptr)), 1e-3);
}

TEST(AftConv, ReparametrisedTapsHaveTheGainAsDeviationAndTheShiftAsMean) {
  const at::Tensor gain = at::tensor({2.0, 0.5}, at::kDouble),
                   shift = at::tensor({-1.0, 3.0}, at::kDouble);
  const at::Tensor w = reparametrized(at::randn({2, 5, 5}, at::kDouble) * 7 + 4, gain, shift);
  EXPECT_LT(gap(w.flatten(1).mean(1), shift), 1e-12);
  EXPECT_LT(gap(w.flatten(1).std(1, /*unbiased=*/false), gain), 1e-12);
  const at::Tensor flat = at::ones({2, 3, 3}, at::kDouble).requires_grad_();
  const at::Tensor same = reparametrized(flat, gain, shift);
  same.sum().backward();
  EXPECT_EQ(gap(same, shift.view({2, 1, 1}).expand({2, 3, 3})), 0);
  EXPECT_TRUE(flat.grad().isfinite().all().item<bool>());
}

TEST(AftConv, EntropyIsThatOfTheTapsAndItsPenaltySharpensThem) {
  const at::Tensor w = at::randn({3, 3, 3}, at::kDouble);
  double expected = 0;  // Eq. 9 by loops
  for (int head = 0; head < 3; ++head) {
    const at::Tensor taps = w[head].flatten();
    double sum = 0;
    for (int i = 0; i < 9; ++i)
      sum += std::exp(taps[i].item<double>());
    for (int i = 0; i < 9; ++i) {
      const double p = std::exp(taps[i].item<double>()) / sum;
      expected -= p * std::log(p);
    }
  }
  EXPECT_NEAR(biasEntropy(w).item<double>(), expected, 1e-12);
  EXPECT_NEAR(biasEntropy(at::zeros({2, 5, 5})).item<double>(), 2 * std::log(25.0), 1e-5);

  Case c{{{"kernel", 3}, {"entropy_penalty", 0.25}}, {4, 4, 0}, 2, 3};
  const auto layer = makeLayer(c, at::kDouble);
  EXPECT_NEAR(layer->auxiliaryLoss().item<double>(),
              0.25 * biasEntropy(layer->positionBias()).item<double>(), 1e-12);
  const double before = layer->auxiliaryLoss().item<double>();
  layer->auxiliaryLoss().backward();
  {
    const at::NoGradGuard noGrad;
    for (const char* name : {"position_bias", "position_gain"}) {
      at::Tensor parameter = layer->named_parameters()[name];
      parameter.sub_(parameter.grad(), 0.05);
    }
  }
  EXPECT_LT(layer->auxiliaryLoss().item<double>(), before);
  c.options["entropy_penalty"] = 0.0;
  EXPECT_FALSE(makeLayer(c, at::kFloat)->auxiliaryLoss().defined());
}

TEST(AftConv, GumbelKeepsTheGreatestTapInInferenceAndSamplesInTraining) {
  const at::Tensor w = at::randn({4, 3, 3}, at::kDouble);
  const at::Tensor hard = gumbelSparse(w, 0.5, true);
  for (int head = 0; head < 4; ++head) {
    const auto peak = w[head].argmax().item<std::int64_t>();
    for (int i = 0; i < 9; ++i)
      EXPECT_EQ(hard[head].flatten()[i].item<double>(),
                i == peak ? w[head].flatten()[i].item<double>() : 0.0);
  }
  // A Gumbel maximum is a draw from softmax(w): at a low temperature the samples are one-hot and as
  // frequent as that (Jang et al.). 5 standard deviations of 4000 draws are 0.04 at most.
  constexpr int kDraws = 4000;
  const at::Tensor logits =
      at::tensor({0.5, 1.0, 2.0, -1.0, 1.5, 0.7, 0.2, 1.2, -0.3}, at::kDouble);
  const at::Tensor sample =
      gumbelSparse(logits.view({1, 3, 3}).expand({kDraws, 3, 3}), 0.01, false).flatten(1) / logits;
  EXPECT_LT((sample.sum(1) - 1).abs().max().item<double>(), 1e-9);
  EXPECT_LT(gap(sample.mean(0), logits.softmax(0)), 0.04);
  // Warmer ones are softer.
  const auto sharpness = [&](double temperature) {
    return (gumbelSparse(w.expand({200, 4, 3, 3}).reshape({800, 3, 3}), temperature, false) /
            w.expand({200, 4, 3, 3}).reshape({800, 3, 3}))
        .flatten(1)
        .amax(1)
        .mean()
        .item<double>();
  };
  EXPECT_GT(sharpness(0.1), sharpness(0.5));
  EXPECT_GT(sharpness(0.5), sharpness(5.0));

  const Case c{{{"kernel", 3}, {"gumbel", true}}, {4, 4, 0}, 2, 3};
  const auto layer = makeLayer(c, at::kFloat);
  const at::Tensor x = at::randn({1, 16, 6});
  layer->train();
  EXPECT_GT(gap(layer->forward(x, nullptr), layer->forward(x, nullptr)), 1e-6);
  (layer->forward(x, nullptr) * at::randn({1, 16, 6})).sum().backward();
  EXPECT_GT(layer->named_parameters()["position_bias"].grad().abs().max().item<float>(), 0);
  layer->eval();
  EXPECT_EQ(gap(layer->forward(x, nullptr), layer->forward(x, nullptr)), 0);
  EXPECT_EQ((layer->positionBias() != 0).sum().item<std::int64_t>(), 2);
}

TEST(AftConv, LargeKeysAndBiasesStayInRange) {
  const Grid grid{4, 4, 0};
  const at::Tensor values = at::randn({2, 16, 4});
  for (const bool global : {true, false})
    for (const double size : {-30.0, 60.0}) {
      const at::Tensor keys = (at::randn({2, 16, 2}) * 80).requires_grad_();
      const at::Tensor bias = at::full({2, 9, 9}, size).requires_grad_();
      const at::Tensor output = aftConvContext(keys, values, bias, grid, global);
      output.sum().backward();
      EXPECT_LT(output.abs().max().item<float>(), 20) << global << size;
      EXPECT_TRUE(keys.grad().isfinite().all().item<bool>());
      EXPECT_TRUE(bias.grad().isfinite().all().item<bool>());
    }
}

TEST(AftConv, NothingInItDependsOnTheImage) {
  const auto shapes = [](Grid grid) {
    AftConv layer({.width = 8, .heads = 4, .grid = grid, .options = {{"kernel", 7}}});
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> result;
    for (const auto& item : layer.named_parameters())
      result.emplace_back(item.key(), item.value().sizes().vec());
    EXPECT_TRUE(layer.named_buffers().is_empty());
    return result;
  };
  EXPECT_EQ(shapes({2, 3, 0}), shapes({20, 14, 1}));
}

TEST(AftConv, AnEvenKernelIsRefusedByItsPath) {
  try {
    AftConv layer({.width = 8, .heads = 4, .grid = {}, .options = {{"kernel", 4}}});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().where, "model.attention.kernel");
  }
}

}  // namespace headlight::aft_conv_test
