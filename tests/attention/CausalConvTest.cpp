// SPDX-License-Identifier: GPL-3.0-or-later

// Causal AFT-conv as a layer: against loops written from Eq. 6 and 8 with t' ≤ t in double
// precision, whole sequences against one token after the other.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/aft/CausalConv.h"
#include "core/base/Result.h"
#include "tests/attention/CausalChecks.h"

namespace headlight::causal_conv_test {

constexpr double kConvTolerance = 1e-5;  // float32 against double

std::vector<CausalConvOptions> convCases() {
  const auto make = [](std::int64_t heads, std::int64_t window, bool reparametrize, bool query) {
    return CausalConvOptions{.width = 6,
                             .heads = heads,
                             .length = 17,
                             .window = window,
                             .reparametrize = reparametrize,
                             .query = query};
  };
  return {make(2, 5, true, true),   make(2, 5, false, true), make(6, 3, true, true),
          make(1, 4, false, false), make(3, 1, true, true),  make(3, 1, false, true),
          make(2, 17, true, true),  make(2, 40, false, true)};
}

/// With parameters large enough to matter.
std::shared_ptr<CausalConv> stirredConv(const CausalConvOptions& options, at::ScalarType type) {
  at::manual_seed(5);
  auto layer = std::make_shared<CausalConv>(options);
  const at::NoGradGuard noGrad;
  for (auto& item : layer->named_parameters())
    item.value().normal_(0, 0.6);
  layer->to(type);
  return layer;
}

double at2(const at::Tensor& matrix, std::int64_t i, std::int64_t j) {
  return matrix[i][j].item<double>();
}

at::Tensor wide(const CausalConv& layer, const std::string& name) {
  return layer.named_parameters()[name].detach().to(at::kDouble);
}

/// x Wᵀ + b by loops, [t, outputs].
at::Tensor naiveConvLinear(const at::Tensor& x, const CausalConv& layer, const std::string& name) {
  const at::Tensor weight = wide(layer, name + ".weight"), bias = wide(layer, name + ".bias");
  at::Tensor y = at::zeros({x.size(0), weight.size(0)}, at::kDouble);
  for (std::int64_t t = 0; t < x.size(0); ++t)
    for (std::int64_t f = 0; f < weight.size(0); ++f) {
      double sum = bias[f].item<double>();
      for (std::int64_t g = 0; g < x.size(1); ++g)
        sum += at2(weight, f, g) * at2(x, t, g);
      y[t][f] = sum;
    }
  return y;
}

/// w [h][s] of Eq. 8: mean and population deviation over the taps.
std::vector<std::vector<double>> naiveTaps(const CausalConv& layer, bool reparametrize) {
  const at::Tensor bias = wide(layer, "position_bias");
  std::vector<std::vector<double>> taps;
  for (std::int64_t h = 0; h < bias.size(0); ++h) {
    std::vector<double> own;
    double mean = 0, variance = 0;
    for (std::int64_t j = 0; j < bias.size(1); ++j) {
      own.push_back(at2(bias, h, j));
      mean += own.back() / static_cast<double>(bias.size(1));
    }
    for (const double w : own)
      variance += (w - mean) * (w - mean) / static_cast<double>(own.size());
    if (reparametrize)
      for (double& w : own)  // of one tap: the shift alone
        w = (variance > 0
                 ? wide(layer, "position_gain")[h].item<double>() * (w - mean) / std::sqrt(variance)
                 : 0) +
            wide(layer, "position_shift")[h].item<double>();
    taps.push_back(own);
  }
  return taps;
}

/// One sequence [t, D], by Eq. 6 as it is written: e^w − 1 under the taps, and sums over all.
at::Tensor naiveCausalConv(const CausalConv& layer, const CausalConvOptions& options,
                           const at::Tensor& given) {
  const at::Tensor x = given.detach().to(at::kDouble);
  const at::Tensor key = naiveConvLinear(x, layer, "k"), value = naiveConvLinear(x, layer, "v");
  const at::Tensor query = options.query ? naiveConvLinear(x, layer, "q") : at::Tensor();
  const auto taps = naiveTaps(layer, options.reparametrize);
  const std::int64_t each = options.width / options.heads;
  at::Tensor mixed = at::zeros_like(value);
  for (std::int64_t t = 0; t < x.size(0); ++t)
    for (std::int64_t f = 0; f < options.width; ++f) {
      const std::int64_t h = f / each;
      const auto& w = taps[static_cast<std::size_t>(h)];
      double above = 0, below = 0;
      for (std::int64_t s = 0; s <= t; ++s) {
        above += std::exp(at2(key, s, h)) * at2(value, s, f);
        below += std::exp(at2(key, s, h));
      }
      for (std::int64_t j = 0; j < options.window && j <= t; ++j) {
        const double weight =
            (std::exp(w[static_cast<std::size_t>(j)]) - 1) * std::exp(at2(key, t - j, h));
        above += weight * at2(value, t - j, f);
        below += weight;
      }
      mixed[t][f] = above / below / (options.query ? 1 + std::exp(-at2(query, t, f)) : 1);
    }
  return naiveConvLinear(mixed, layer, "proj");
}

double gapBetween(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b).abs().max().item<double>();
}

std::string nameOfConv(const CausalConvOptions& options) {
  return std::to_string(options.heads) + " heads, " + std::to_string(options.window) + " taps" +
         (options.reparametrize ? "" : ", as they are") + (options.query ? "" : ", no query");
}

TEST(CausalConv, EqualsTheNaiveReferenceAtEveryLength) {
  for (const auto& options : convCases()) {
    const auto layer = stirredConv(options, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({2, options.length, options.width});
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{4}, options.length}) {
      const at::Tensor part = x.slice(1, 0, length), y = layer->forward(part);
      ASSERT_EQ(y.sizes(), part.sizes());
      for (int b = 0; b < 2; ++b)
        EXPECT_LT(gapBetween(y[b], naiveCausalConv(*layer, options, part[b])), kConvTolerance)
            << nameOfConv(options) << " length " << length;
    }
  }
}

/// Sequences of several blocks, of which the last is not whole.
TEST(CausalConv, BlocksEqualSumsByHand) {
  const at::NoGradGuard noGrad;
  for (const std::int64_t taps : {3, 64, 70})
    for (const std::int64_t length : {63, 64, 150}) {
      const at::Tensor keys = at::randn({2, length, 2}, at::kDouble) * 3,
                       values = at::randn({2, length, 4}, at::kDouble),
                       w = at::randn({2, taps}, at::kDouble) * 2;
      const at::Tensor context = causalConvContext(keys, values, w);
      for (const std::int64_t t : {std::int64_t{0}, length / 2, length - 1})
        for (std::int64_t f = 0; f < 4; ++f) {
          double above = 0, below = 0;
          for (std::int64_t s = 0; s <= t; ++s) {
            const double bias = t - s < taps ? at2(w, f / 2, t - s) : 0.0;
            const double weight = std::exp(keys[1][s][f / 2].item<double>() + bias);
            above += weight * values[1][s][f].item<double>();
            below += weight;
          }
          EXPECT_NEAR(context[1][t][f].item<double>(), above / below, 1e-11)
              << taps << " taps, token " << t << " of " << length;
        }
    }
}

/// e^w − 1 would cancel against the sum over all tokens.
TEST(CausalConv, WhatIsForbiddenCancelsWithoutATrace) {
  const at::NoGradGuard noGrad;
  const at::Tensor keys = at::zeros({1, 40, 1}), values = at::randn({1, 40, 3});
  const at::Tensor context = causalConvContext(keys, values, at::full({1, 5}, -60.0f));
  EXPECT_LT(gapBetween(context[0][39], values[0].slice(0, 0, 35).to(at::kDouble).mean(0)), 1e-6);
  EXPECT_LT(gapBetween(context[0][0], values[0][0].to(at::kDouble)), 1e-6);
}

TEST(CausalConv, OneTokenAfterTheOtherEqualsTheWhole) {
  for (const auto& options : convCases())
    for (const double size : {1.0, 4.0}) {
      const double tolerance = kConvTolerance * size * size;
      const auto layer = stirredConv(options, at::kFloat);
      const at::NoGradGuard noGrad;
      const at::Tensor x = at::randn({3, options.length, options.width}) * size;
      const at::Tensor whole = layer->forward(x);
      CausalState state;
      for (std::int64_t t = 0; t < options.length; ++t)
        EXPECT_LT(
            gapBetween(layer->step(x.select(1, t), state), whole.select(1, t).to(at::kDouble)),
            tolerance)
            << nameOfConv(options) << " token " << t << " size " << size;
      EXPECT_THROW(layer->step(x.select(1, 0), state), Failure);
    }
}

TEST(CausalConv, GrowingStaysInRangeWhateverTheKeys) {
  for (const auto& options : convCases()) {
    SCOPED_TRACE(nameOfConv(options));
    const auto layer = stirredConv(options, at::kFloat);
    const at::Tensor x = at::randn({1, options.length, options.width}) * 400;
    testing::expectStepsFinite(*layer, x);
    const at::NoGradGuard noGrad;
    EXPECT_TRUE(layer->forward(x).isfinite().all().item<bool>());
  }
}

TEST(CausalConv, LaterTokensChangeNoBit) {
  for (const auto& options : convCases()) {
    SCOPED_TRACE(nameOfConv(options));
    const auto layer = stirredConv(options, at::kFloat);
    testing::expectLaterTokensChangeNoBit(*layer, {options.length, options.width}, 9, 3);
  }
}

/// Eq. 3 by hand, and its filter is what the taps are after Eq. 8.
TEST(CausalConv, ItsMapIsTheImplicitAttention) {
  for (const auto& options : convCases()) {
    const auto layer = stirredConv(options, at::kFloat);
    const at::Tensor x = at::randn({1, options.length, options.width});
    const at::Tensor map = layer->map(x);
    ASSERT_EQ(map.sizes(),
              (std::vector<std::int64_t>{1, options.heads, options.length, options.length}));
    const at::Tensor key = naiveConvLinear(x[0].to(at::kDouble), *layer, "k");
    const auto taps = naiveTaps(*layer, options.reparametrize);
    for (std::int64_t h = 0; h < options.heads; ++h) {
      const auto& w = taps[static_cast<std::size_t>(h)];
      for (std::int64_t j = 0; j < options.window; ++j)
        EXPECT_NEAR(at2(layer->filter(), h, j), w[static_cast<std::size_t>(j)], kConvTolerance);
      for (std::int64_t t = 0; t < options.length; ++t) {
        std::vector<double> weights;
        double sum = 0;
        for (std::int64_t s = 0; s <= t; ++s) {
          const double bias = t - s < options.window ? w[static_cast<std::size_t>(t - s)] : 0.0;
          weights.push_back(std::exp(at2(key, s, h) + bias));
          sum += weights.back();
        }
        for (std::int64_t s = 0; s < options.length; ++s)
          EXPECT_NEAR(at2(map[0][h], t, s),
                      s <= t ? weights[static_cast<std::size_t>(s)] / sum : 0.0, kConvTolerance)
              << nameOfConv(options);
      }
    }
  }
}

TEST(CausalConv, GradientsAreFiniteDifferences) {
  for (const auto& options : convCases()) {
    SCOPED_TRACE(nameOfConv(options));
    const auto layer = stirredConv(options, at::kDouble);
    testing::expectCausalGradients(*layer, {options.length, options.width}, 2);
  }
}

TEST(CausalConv, WhatCannotBeIsRefusedByItsPath) {
  const auto pathOf = [](const CausalConvOptions& options) {
    return testing::refusedPathOf([&] { checkCausalConv(options); });
  };
  EXPECT_EQ(pathOf({}), "accepted");
  EXPECT_EQ(pathOf({.width = 10, .heads = 4}), "model.heads");
  EXPECT_EQ(pathOf({.width = 10, .heads = 0}), "model.heads");
  EXPECT_EQ(pathOf({.window = 0}), "model.window");
  EXPECT_EQ(pathOf({.length = 50000, .window = 500}), "accepted");
  EXPECT_EQ(pathOf({.length = 50000, .window = 4096}), "model.window");
  EXPECT_EQ(pathOf({.length = 100, .window = 4096}), "accepted");  // no more than T count
}

}  // namespace headlight::causal_conv_test
