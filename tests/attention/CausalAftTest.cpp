// SPDX-License-Identifier: GPL-3.0-or-later

// Causal AFT as a layer: against loops written from Eq. 2, 4 and 5 with t' ≤ t in double precision,
// whole sequences against one token after the other.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/aft/AftAttention.h"
#include "core/attention/aft/CausalAft.h"
#include "core/attention/aft/CausalBand.h"
#include "core/base/Result.h"
#include "tests/attention/CausalChecks.h"

namespace headlight::causal_aft_test {

constexpr double kCausalTolerance = 1e-5;  // float32 against double

std::vector<CausalAftOptions> causalCases() {
  const auto make = [](const char* mechanism, bool factorized, std::int64_t window, bool query) {
    return CausalAftOptions{.mechanism = mechanism,
                            .width = 6,
                            .length = 17,
                            .rank = 4,
                            .factorized = factorized,
                            .window = window,
                            .query = query};
  };
  return {make("aft_full", true, 3, true),   make("aft_full", false, 3, true),
          make("aft_full", true, 3, false),  make("aft_local", true, 5, true),
          make("aft_local", false, 1, true), make("aft_local", true, 0, true),
          make("aft_local", true, 40, true), make("aft_local", true, 1, true),
          make("aft_local", true, 8, true),  make("aft_local", true, 3, false),
          make("aft_simple", true, 3, true), make("aft_simple", true, 3, false)};
}

/// With parameters large enough to matter.
std::shared_ptr<CausalAft> stirred(const CausalAftOptions& options, at::ScalarType type) {
  at::manual_seed(5);
  auto layer = std::make_shared<CausalAft>(options);
  const at::NoGradGuard noGrad;
  for (auto& item : layer->named_parameters())
    item.value().normal_(0, 0.6);
  layer->to(type);
  return layer;
}

using Rows = std::vector<std::vector<double>>;

Rows rowsOf(const at::Tensor& matrix) {
  const at::Tensor values = matrix.detach().to(at::kDouble).contiguous();
  Rows rows(static_cast<std::size_t>(values.size(0)));
  for (std::int64_t i = 0; i < values.size(0); ++i)
    for (std::int64_t j = 0; j < values.size(1); ++j)
      rows[static_cast<std::size_t>(i)].push_back(values[i][j].item<double>());
  return rows;
}

/// x Wᵀ + b by loops.
Rows naiveLinear(const Rows& x, const CausalAft& layer, const std::string& name) {
  const auto parameters = layer.named_parameters();
  const Rows weight = rowsOf(parameters[name + ".weight"]);
  const Rows bias = rowsOf(parameters[name + ".bias"].unsqueeze(0));
  Rows y(x.size(), std::vector<double>(weight.size()));
  for (std::size_t t = 0; t < x.size(); ++t)
    for (std::size_t f = 0; f < weight.size(); ++f) {
      y[t][f] = bias[0][f];
      for (std::size_t g = 0; g < x[t].size(); ++g)
        y[t][f] += weight[f][g] * x[t][g];
    }
  return y;
}

/// w_tt' of Eq. 4, or of Eq. 2 or 5.
Rows naivePairs(const CausalAft& layer, const CausalAftOptions& options) {
  const auto length = static_cast<std::size_t>(options.length);
  Rows w(length, std::vector<double>(length, 0.0));
  if (options.mechanism == "aft_simple") return w;
  const auto parameters = layer.named_parameters();
  Rows u, v, full;
  if (options.factorized) {
    u = rowsOf(parameters["position_u"]);
    v = rowsOf(parameters["position_v"]);
  } else {
    full = rowsOf(parameters["position_bias"]);
  }
  for (std::size_t t = 0; t < length; ++t)
    for (std::size_t s = 0; s <= t; ++s) {
      if (options.mechanism == "aft_local" && static_cast<std::int64_t>(t - s) >= options.window)
        continue;
      if (!options.factorized) w[t][s] = full[t][s];
      for (std::size_t r = 0; options.factorized && r < u[t].size(); ++r)
        w[t][s] += u[t][r] * v[s][r];
    }
  return w;
}

/// One sequence [t, D].
Rows naiveCausalAft(const CausalAft& layer, const CausalAftOptions& options, const at::Tensor& x) {
  const Rows tokens = rowsOf(x), w = naivePairs(layer, options);
  const Rows key = naiveLinear(tokens, layer, "k"), value = naiveLinear(tokens, layer, "v");
  Rows mixed = value;
  const Rows query = options.query ? naiveLinear(tokens, layer, "q") : Rows();
  for (std::size_t t = 0; t < tokens.size(); ++t)
    for (std::size_t f = 0; f < tokens[t].size(); ++f) {
      double above = 0, below = 0;
      for (std::size_t s = 0; s <= t; ++s) {
        const double weight = std::exp(key[s][f] + w[t][s]);
        above += weight * value[s][f];
        below += weight;
      }
      mixed[t][f] = above / below;
      if (options.query) mixed[t][f] /= 1 + std::exp(-query[t][f]);
    }
  return naiveLinear(mixed, layer, "proj");
}

double gapTo(const at::Tensor& x, const Rows& expected) {
  const Rows rows = rowsOf(x);
  double gap = 0;
  for (std::size_t t = 0; t < rows.size(); ++t)
    for (std::size_t f = 0; f < rows[t].size(); ++f)
      gap = std::max(gap, std::abs(rows[t][f] - expected[t][f]));
  return gap;
}

std::string nameOf(const CausalAftOptions& options) {
  return options.mechanism + (options.factorized ? " factorized" : " full matrix") + " window " +
         std::to_string(options.window) + (options.query ? "" : " no query");
}

TEST(CausalAft, EqualsTheNaiveReferenceAtEveryLength) {
  for (const auto& options : causalCases()) {
    const auto layer = stirred(options, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({2, options.length, options.width});
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{4}, options.length}) {
      const at::Tensor part = x.slice(1, 0, length), y = layer->forward(part);
      ASSERT_EQ(y.sizes(), part.sizes());
      for (int b = 0; b < 2; ++b)
        EXPECT_LT(gapTo(y[b], naiveCausalAft(*layer, options, part[b])), kCausalTolerance)
            << nameOf(options) << " length " << length;
    }
  }
}

TEST(CausalAft, TheWindowIsThatOfAOneRowGrid) {
  for (const std::int64_t window : {0, 1, 4, 17}) {
    const CausalAftOptions options{
        .mechanism = "aft_local", .width = 4, .length = 17, .rank = 3, .window = window};
    const auto layer = stirred(options, at::kFloat);
    CausalAftOptions everywhere = options;
    everywhere.mechanism = "aft_full";
    const at::Tensor w = stirred(everywhere, at::kFloat)->positionBias(17);
    const at::Tensor outside = aftWindow({1, 17, 0}, static_cast<int>(window)).logical_not();
    EXPECT_TRUE(at::equal(layer->positionBias(17).tril(), w.masked_fill(outside, 0.0).tril()))
        << window;
  }
}

TEST(CausalAft, OneTokenAfterTheOtherEqualsTheWhole) {
  for (const auto& options : causalCases())
    for (const double size : {1.0, 4.0}) {
      // Larger tokens have larger results, and keys whose last digits weigh more in e^K.
      const double tolerance = kCausalTolerance * size * size;
      const auto layer = stirred(options, at::kFloat);
      const at::NoGradGuard noGrad;
      const at::Tensor x = at::randn({3, options.length, options.width}) * size;
      std::vector<Rows> expected;
      for (int b = 0; b < 3; ++b)
        expected.push_back(naiveCausalAft(*layer, options, x[b]));
      const at::Tensor whole = layer->forward(x);
      CausalState state;
      for (std::int64_t t = 0; t < options.length; ++t) {
        const at::Tensor y = layer->step(x.select(1, t), state);
        const at::Tensor there = whole.select(1, t);
        EXPECT_LT((y - there).abs().max().item<double>(), tolerance)
            << nameOf(options) << " token " << t << " size " << size;
        for (std::size_t b = 0; b < 3; ++b) {
          const Rows own{expected[b][static_cast<std::size_t>(t)]};
          EXPECT_LT(
              gapTo(y.slice(0, static_cast<std::int64_t>(b), static_cast<std::int64_t>(b) + 1),
                    own),
              tolerance)
              << nameOf(options) << " token " << t << " size " << size;
        }
      }
      EXPECT_THROW(layer->step(x.select(1, 0), state), Failure);
    }
}

TEST(CausalAft, GrowingStaysInRangeWhateverTheKeys) {
  for (const auto& options : causalCases()) {
    SCOPED_TRACE(nameOf(options));
    const auto layer = stirred(options, at::kFloat);
    const at::Tensor x = at::randn({1, options.length, options.width}) * 400;
    testing::expectStepsFinite(*layer, x);
  }
}

/// Eq. 3 by hand: the mean over features of what each position's weighted mean is made of.
TEST(CausalAft, ItsMapIsTheImplicitAttention) {
  for (const auto& options : causalCases()) {
    const auto layer = stirred(options, at::kFloat);
    const at::Tensor x = at::randn({1, options.length, options.width});
    const at::Tensor map = layer->map(x);
    ASSERT_EQ(map.sizes(), (std::vector<std::int64_t>{1, 1, options.length, options.length}));
    const Rows key = naiveLinear(rowsOf(x[0]), *layer, "k"), w = naivePairs(*layer, options);
    Rows expected(key.size(), std::vector<double>(key.size(), 0.0));
    for (std::size_t t = 0; t < key.size(); ++t)
      for (std::size_t f = 0; f < key[t].size(); ++f) {
        double sum = 0;
        for (std::size_t s = 0; s <= t; ++s)
          sum += std::exp(key[s][f] + w[t][s]);
        for (std::size_t s = 0; s <= t; ++s)
          expected[t][s] += std::exp(key[s][f] + w[t][s]) / sum / options.width;
      }
    EXPECT_LT(gapTo(map[0][0], expected), kCausalTolerance) << nameOf(options);
  }
}

TEST(CausalAft, LaterTokensChangeNoBit) {
  for (const auto& options : causalCases()) {
    SCOPED_TRACE(nameOf(options));
    const auto layer = stirred(options, at::kFloat);
    testing::expectLaterTokensChangeNoBit(*layer, {options.length, options.width}, 9, 3);
  }
}

TEST(CausalAft, BlocksOfTheWindowEqualTheWholeMatrix) {
  const at::NoGradGuard noGrad;
  for (const std::int64_t window : {1, 7, 32})
    for (const std::int64_t length : {65, 96, 200}) {
      const CausalAftOptions options{
          .mechanism = "aft_local", .width = 5, .length = 200, .rank = 3, .window = window};
      const auto layer = stirred(options, at::kDouble);
      const auto parameters = layer->named_parameters();
      const at::Tensor keys = at::randn({2, length, 5}, at::kDouble) * 3,
                       values = at::randn({2, length, 5}, at::kDouble);
      const at::Tensor blocks =
          causalBandContext(keys, values, parameters["position_u"].slice(0, 0, length),
                            parameters["position_v"].slice(0, 0, length), window);
      const at::Tensor whole =
          aftContext(keys, values, layer->positionBias(length), AftOrder::Causal);
      EXPECT_LT((blocks - whole).abs().max().item<double>(), 1e-12)
          << "window " << window << " length " << length;
    }
}

TEST(CausalAft, LocalWithoutAWindowIsSimple) {
  const at::NoGradGuard noGrad;
  // Longer than any matrix of pairs may be.
  const CausalAftOptions options{
      .mechanism = "aft_local", .width = 2, .length = 5000, .rank = 2, .window = 0};
  CausalAftOptions simple = options;
  simple.mechanism = "aft_simple";
  const auto local = stirred(options, at::kFloat), other = stirred(simple, at::kFloat);
  const auto parameters = local->named_parameters();
  for (auto& item : other->named_parameters())
    item.value().copy_(parameters[item.key()]);
  const at::Tensor x = at::randn({1, options.length, options.width});
  EXPECT_TRUE(at::equal(local->forward(x), other->forward(x)));
}

TEST(CausalAft, GradientsAreFiniteDifferences) {
  for (const auto& options : causalCases()) {
    SCOPED_TRACE(nameOf(options));
    const auto layer = stirred(options, at::kDouble);
    testing::expectCausalGradients(*layer, {options.length, options.width}, 2);
  }
}

TEST(CausalAft, WhatCannotBeIsRefusedByItsPath) {
  const auto pathOf = [](const CausalAftOptions& options) {
    return testing::refusedPathOf([&] { checkCausalAft(options); });
  };
  EXPECT_EQ(pathOf({.mechanism = "softmax"}), "model.mechanism");
  EXPECT_EQ(pathOf({.mechanism = "aft_conv"}), "model.mechanism");
  EXPECT_EQ(pathOf({.mechanism = "aft_full", .length = 4097}), "model.mechanism");
  EXPECT_EQ(pathOf({.mechanism = "aft_local", .length = 4096}), "accepted");
  EXPECT_EQ(pathOf({.mechanism = "aft_local", .length = 12288, .window = 256}), "accepted");
  EXPECT_EQ(pathOf({.mechanism = "aft_local", .length = 12288, .window = 6144}), "model.mechanism");
  EXPECT_EQ(pathOf({.mechanism = "aft_local", .length = 12288, .window = 0}), "accepted");
  EXPECT_EQ(pathOf({.mechanism = "aft_local", .length = 4097, .factorized = false, .window = 0}),
            "model.mechanism");
  EXPECT_EQ(pathOf({.mechanism = "aft_local", .length = 4097, .factorized = false}),
            "model.mechanism");
  EXPECT_EQ(pathOf({.mechanism = "aft_simple", .length = 50000}), "accepted");
}

}  // namespace headlight::causal_aft_test
