// SPDX-License-Identifier: GPL-3.0-or-later

// The causal baselines of AFT's Table 4 as layers: against loops in double precision, whole
// sequences against one token after the other, and what later tokens may change.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/linear/CausalFeatures.h"
#include "core/attention/softmax/CausalSynthesizer.h"
#include "core/base/Random.h"
#include "core/base/Result.h"
#include "tests/attention/CausalChecks.h"
#include "tests/attention/NaiveLayers.h"

namespace headlight::causal_baselines_test {

using testing::Numbers;

constexpr double kBaselineTolerance = 2e-5;  // float32 against double

struct BaselineCase {
  std::string name;  ///< linear_transformer, performer, or what a Synthesizer does
  std::int64_t width, heads, length;

  bool isFeatures() const { return name == "linear_transformer" || name == "performer"; }
};

/// Within a chunk of 64 positions, at its end, and over several; a Synthesizer's 128 rows likewise.
std::vector<BaselineCase> baselineCases() {
  return {{"linear_transformer", 6, 3, 17},
          {"linear_transformer", 8, 2, 150},
          {"performer", 6, 1, 17},
          {"performer", 8, 2, 128},
          {"dense", 6, 3, 17},
          {"dense", 4, 1, 150},
          {"random", 6, 2, 17},
          {"random", 4, 2, 150},
          {"factorized", 6, 2, 17}};
}

std::shared_ptr<CausalAttention> baseline(const BaselineCase& c, at::ScalarType type) {
  at::manual_seed(5);
  std::shared_ptr<CausalAttention> layer;
  if (c.isFeatures())
    layer = std::make_shared<CausalFeatures>(CausalFeatureOptions{.mechanism = c.name,
                                                                  .width = c.width,
                                                                  .heads = c.heads,
                                                                  .length = c.length,
                                                                  .featureSeed = 4,
                                                                  .layer = 1});
  else
    layer = std::make_shared<CausalSynthesizer>(CausalSynthesizerOptions{
        .synthesis = c.name, .width = c.width, .heads = c.heads, .length = c.length, .rank = 3});
  testing::stir(*layer, 0.5);
  layer->to(type);
  return layer;
}

/// exp of what the paper calls φ, up to factors that cancel; x: one head of one position.
Numbers naiveFeature(const BaselineCase& c, const double* x, std::size_t width,
                     const Numbers& vectors) {
  Numbers features;
  if (c.name == "linear_transformer") {
    for (std::size_t f = 0; f < width; ++f)
      features.push_back(x[f] > 0 ? x[f] + 1 : std::exp(x[f]));
    return features;
  }
  const double scale = std::pow(double(width), -0.25);
  for (std::size_t i = 0; i < vectors.size() / width; ++i) {
    double exponent = 0;
    for (std::size_t f = 0; f < width; ++f)
      exponent += vectors[i * width + f] * x[f] * scale - x[f] * x[f] * scale * scale / 2;
    features.push_back(std::exp(exponent));
  }
  return features;
}

/// Weights of one head, [t, t], before they are divided by their sums up to t.
Numbers naiveWeights(const BaselineCase& c, const CausalAttention& layer, const Numbers& rows,
                     std::size_t h, std::size_t length) {
  const auto width = static_cast<std::size_t>(c.width), heads = std::size_t(c.heads),
             each = width / heads, whole = static_cast<std::size_t>(c.length);
  const auto parameters = layer.named_parameters();
  Numbers weights(length * length), made, vectors, first, second;
  std::vector<Numbers> keys;
  if (c.isFeatures()) {
    made = testing::naiveLinear(layer, "qkv", rows, width);
    if (c.name == "performer")
      vectors = testing::numbersOf(orthogonalVectors(randomFeatureCount(0, std::int64_t(each)),
                                                     std::int64_t(each), streamKey({4, 1, 0})));
    for (std::size_t s = 0; s < length; ++s)
      keys.push_back(naiveFeature(c, &made[s * 3 * width + width + h * each], each, vectors));
  } else if (c.name == "dense") {
    made = testing::naiveLinear(layer, "hidden", rows, width);
    first = testing::numbersOf(parameters["logit_weight"]);
    second = testing::numbersOf(parameters["logit_bias"]);
  } else if (c.name == "random") {
    first = testing::numbersOf(parameters["random_logits"]);
  } else {
    first = testing::numbersOf(parameters["random_u"]);
    second = testing::numbersOf(parameters["random_v"]);
  }
  for (std::size_t t = 0; t < length; ++t) {
    Numbers query;
    if (c.isFeatures()) query = naiveFeature(c, &made[t * 3 * width + h * each], each, vectors);
    for (std::size_t s = 0; s <= t; ++s) {
      double sum = 0;
      if (c.isFeatures())
        for (std::size_t f = 0; f < query.size(); ++f)
          sum += query[f] * keys[s][f];
      else if (c.name == "dense") {
        sum = second[h * whole + s];
        for (std::size_t f = 0; f < each; ++f)
          sum += std::max(0.0, made[t * width + h * each + f]) * first[(h * whole + s) * each + f];
      } else if (c.name == "random") {
        sum = first[(h * whole + t) * whole + s];
      } else {
        for (std::size_t r = 0; r < 3; ++r)
          sum += first[(h * whole + t) * 3 + r] * second[(h * whole + s) * 3 + r];
      }
      weights[t * length + s] = c.isFeatures() ? sum : std::exp(sum);
    }
  }
  return weights;
}

struct NaiveBaseline {
  Numbers output;  ///< [t, D]
  Numbers map;     ///< [H, t, t]
};

NaiveBaseline naiveBaseline(const BaselineCase& c, const CausalAttention& layer,
                            const at::Tensor& x) {
  const auto width = static_cast<std::size_t>(c.width), heads = std::size_t(c.heads),
             each = width / heads;
  const Numbers rows = testing::numbersOf(x);
  const std::size_t length = rows.size() / width;
  const Numbers all = testing::naiveLinear(layer, c.isFeatures() ? "qkv" : "value", rows, width);
  const std::size_t stride = c.isFeatures() ? 3 * width : width,
                    begin = c.isFeatures() ? 2 * width : 0;
  NaiveBaseline result{Numbers(length * width), {}};
  for (std::size_t h = 0; h < heads; ++h) {
    Numbers weights = naiveWeights(c, layer, rows, h, length);
    for (std::size_t t = 0; t < length; ++t) {
      double sum = 0;
      for (std::size_t s = 0; s <= t; ++s)
        sum += weights[t * length + s];
      for (std::size_t s = 0; s <= t; ++s) {
        const double weight = weights[t * length + s] /= sum;
        for (std::size_t f = 0; f < each; ++f)
          result.output[t * width + h * each + f] +=
              weight * all[s * stride + begin + h * each + f];
      }
    }
    result.map.insert(result.map.end(), weights.begin(), weights.end());
  }
  result.output = testing::naiveLinear(layer, "proj", result.output, width);
  return result;
}

TEST(CausalBaselines, EqualTheNaiveReferenceAtEveryLength) {
  for (const BaselineCase& c : baselineCases()) {
    const auto layer = baseline(c, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({2, c.length, c.width});
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{4}, c.length}) {
      SCOPED_TRACE(c.name + " " + std::to_string(length) + " of " + std::to_string(c.length));
      const at::Tensor part = x.slice(1, 0, length), y = layer->forward(part),
                       map = layer->map(part);
      ASSERT_EQ(y.sizes(), part.sizes());
      ASSERT_EQ(map.sizes(), (std::vector<std::int64_t>{2, c.heads, length, length}));
      for (int b = 0; b < 2; ++b) {
        const NaiveBaseline expected = naiveBaseline(c, *layer, part[b]);
        EXPECT_LT(testing::gapOf(y[b], expected.output), kBaselineTolerance);
        EXPECT_LT(testing::gapOf(map[b], expected.map), kBaselineTolerance);
      }
    }
  }
}

TEST(CausalBaselines, OneTokenAfterTheOtherEqualsTheWhole) {
  for (const BaselineCase& c : baselineCases()) {
    SCOPED_TRACE(c.name + " " + std::to_string(c.length));
    const auto layer = baseline(c, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({3, c.length, c.width});
    const at::Tensor whole = layer->forward(x);
    CausalState state;
    for (std::int64_t t = 0; t < c.length; ++t) {
      const at::Tensor y = layer->step(x.select(1, t), state);
      EXPECT_LT((y - whole.select(1, t)).abs().max().item<double>(), kBaselineTolerance) << t;
    }
    EXPECT_EQ(state.position, c.length);
    EXPECT_THROW(layer->step(x.select(1, 0), state), Failure);
  }
}

TEST(CausalBaselines, LaterTokensChangeNoBit) {
  for (const BaselineCase& c : baselineCases()) {
    SCOPED_TRACE(c.name + " " + std::to_string(c.length));
    const auto layer = baseline(c, at::kFloat);
    for (const std::int64_t from : {std::int64_t{9}, c.length - 3})
      testing::expectLaterTokensChangeNoBit(*layer, {c.length, c.width}, from, 2);
  }
}

TEST(CausalBaselines, LargeTokensStayInRange) {
  for (const BaselineCase& c : baselineCases()) {
    SCOPED_TRACE(c.name + " " + std::to_string(c.length));
    const auto layer = baseline(c, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({1, c.length, c.width}) * 400;
    EXPECT_TRUE(layer->forward(x).isfinite().all().item<bool>());
    testing::expectStepsFinite(*layer, x);
  }
}

TEST(CausalBaselines, GradientsAreFiniteDifferences) {
  for (const BaselineCase& c : baselineCases()) {
    SCOPED_TRACE(c.name + " " + std::to_string(c.length));
    const auto layer = baseline(c, at::kDouble);
    testing::expectCausalGradients(*layer, {c.length, c.width}, 1);
  }
}

/// A Performer whose queries are small, so that keys alone decide.
std::shared_ptr<CausalAttention> keyedPerformer(const BaselineCase& c, at::ScalarType type) {
  const auto layer = baseline(c, at::kDouble);
  const at::NoGradGuard noGrad;
  layer->named_parameters()["qkv.weight"].slice(0, 0, c.width).mul_(0.02);
  layer->named_parameters()["qkv.bias"].slice(0, 0, c.width).mul_(0.02);
  layer->to(type);
  return layer;
}

/// Tokens of so many times a normal one's length, all directions alike, so that the exponents of
/// keys lie from about −2 · 7.5² to 0, some at twice that: further apart than a float reaches, and
/// within what a double holds.
at::Tensor farApart(const BaselineCase& c, double first, double last) {
  at::manual_seed(8);
  const at::Tensor drawn = at::randn({1, c.length, c.width}, at::kDouble),
                   sizes = at::linspace(first, last, c.length, at::kDouble);
  return drawn / drawn.norm(2, {-1}, /*keepdim=*/true) * std::sqrt(double(c.width)) *
         sizes.view({1, -1, 1});
}

const std::vector<std::pair<double, double>> kSpans{{7.5, 0.5}, {0.5, 7.5}};

TEST(CausalBaselines, APerformersKeysMayLieAnyDistanceApart) {
  for (const BaselineCase& c :
       {BaselineCase{"performer", 8, 2, 40}, BaselineCase{"performer", 8, 2, 150}})
    for (const auto& [first, last] : kSpans) {
      SCOPED_TRACE(std::to_string(c.length) + ", from " + std::to_string(first));
      const auto layer = keyedPerformer(c, at::kFloat);
      const at::NoGradGuard noGrad;
      const at::Tensor x = farApart(c, first, last).to(at::kFloat);
      const NaiveBaseline expected = naiveBaseline(c, *layer, x[0]);
      double size = 1;
      for (const double value : expected.output)
        size = std::max(size, std::abs(value));
      const at::Tensor y = layer->forward(x);
      EXPECT_LT(testing::gapOf(y[0], expected.output), 2e-3 * size);
      EXPECT_LT(testing::gapOf(layer->map(x)[0], expected.map), 2e-3);
      CausalState state;
      for (std::int64_t t = 0; t < c.length; ++t)
        EXPECT_LT((layer->step(x.select(1, t), state) - y.select(1, t)).abs().max().item<double>(),
                  2e-3 * size)
            << t;
    }
}

/// A Performer by every pair, as the paper writes it: in double precision nothing underflows here.
at::Tensor pairByPair(const BaselineCase& c, const CausalAttention& layer, const at::Tensor& x) {
  const auto p = layer.named_parameters();
  const std::int64_t each = c.width / c.heads;
  const at::Tensor vectors =
      orthogonalVectors(randomFeatureCount(0, each), each, streamKey({4, 1, 0}));
  const at::Tensor qkv = at::linear(x, p["qkv.weight"], p["qkv.bias"])
                             .view({1, c.length, 3, c.heads, each})
                             .permute({2, 0, 3, 1, 4});
  const at::Tensor pairs = at::matmul(featureExponents(qkv[0], vectors).exp(),
                                      featureExponents(qkv[1], vectors).exp().transpose(-2, -1))
                               .tril();
  const at::Tensor mixed = at::matmul(pairs / pairs.sum(-1, /*keepdim=*/true), qkv[2]);
  return at::linear(mixed.transpose(1, 2).reshape(x.sizes()), p["proj.weight"], p["proj.bias"]);
}

/// Of early tokens too, in float32 as in double precision.
TEST(CausalBaselines, APerformersGradientsReachKeysThatAreFarApart) {
  const BaselineCase c{"performer", 8, 2, 150};
  at::manual_seed(9);
  const at::Tensor weights = at::randn({1, c.length, c.width}, at::kDouble);
  for (const auto& [first, last] : kSpans) {
    SCOPED_TRACE("from " + std::to_string(first));
    const at::Tensor tokens = farApart(c, first, last);
    const auto gradientOf = [&](at::ScalarType type, const auto& forward) {
      const at::Tensor x = tokens.to(type).clone().requires_grad_();
      (forward(x) * weights.to(type)).sum().backward();
      return x.grad().to(at::kDouble);
    };
    const auto narrow = keyedPerformer(c, at::kFloat), wide = keyedPerformer(c, at::kDouble);
    const at::Tensor expected =
        gradientOf(at::kDouble, [&](const at::Tensor& x) { return pairByPair(c, *wide, x); });
    const at::Tensor exact =
        gradientOf(at::kDouble, [&](const at::Tensor& x) { return wide->forward(x); });
    const at::Tensor rounded =
        gradientOf(at::kFloat, [&](const at::Tensor& x) { return narrow->forward(x); });
    const double size = expected.abs().max().item<double>();
    EXPECT_LT((exact - expected).abs().max().item<double>(), 1e-9 * size);
    EXPECT_LT((rounded - expected).abs().max().item<double>(), 5e-3 * size);
    for (const std::int64_t token : {std::int64_t{0}, std::int64_t{3}})
      EXPECT_GT(rounded[0][token].abs().max().item<double>(), 1e-3);
  }
}

/// As far apart as no double reaches.
TEST(CausalBaselines, SumsOfFarKeysAreThoseOfKeysBroughtTogether) {
  at::manual_seed(6);
  const std::int64_t length = 130;
  const auto drawn = [&](std::int64_t features) {
    return at::rand({1, 1, length, features}, at::kDouble) + 0.5;
  };
  const at::Tensor query = drawn(3), key = drawn(3), values = drawn(2);
  // 2^3000 from token 70 on: what came before is nothing there, and whole before.
  at::Tensor powers = at::zeros({1, 1, length, 1}, at::kDouble);
  powers.slice(2, 70).fill_(3000);
  const at::Tensor mixed = causalFeatureMixed(query, key, values, powers);
  const at::Tensor before = causalFeatureMixed(query.slice(2, 0, 70), key.slice(2, 0, 70),
                                               values.slice(2, 0, 70)),
                   after = causalFeatureMixed(query.slice(2, 70), key.slice(2, 70),
                                              values.slice(2, 70));
  EXPECT_LT((mixed.slice(2, 0, 70) - before).abs().max().item<double>(), 1e-13);
  EXPECT_LT((mixed.slice(2, 70) - after).abs().max().item<double>(), 1e-13);
  // The other way round what comes later adds nothing.
  const at::Tensor falling = causalFeatureMixed(query, key, values, -powers);
  EXPECT_LT((falling.slice(2, 0, 70) - before).abs().max().item<double>(), 1e-13);
  const at::Tensor kept = at::matmul(key.slice(2, 0, 70).transpose(-2, -1), values.slice(2, 0, 70));
  const at::Tensor sums = key.slice(2, 0, 70).sum(2, /*keepdim=*/true).transpose(-2, -1);
  const at::Tensor expected =
      at::matmul(query.slice(2, 70), kept) / at::matmul(query.slice(2, 70), sums);
  EXPECT_LT((falling.slice(2, 70) - expected).abs().max().item<double>(), 1e-13);
}

TEST(CausalBaselines, WhatCannotBeIsRefusedByItsPath) {
  EXPECT_EQ(testing::refusedPathOf([] { checkCausalFeatures({.width = 12, .heads = 5}); }),
            "model.heads");
  EXPECT_EQ(testing::refusedPathOf([] { checkCausalFeatures({.width = 12, .heads = 0}); }),
            "model.heads");
  EXPECT_EQ(testing::refusedPathOf([] { checkCausalFeatures({.length = 1 << 20}); }), "accepted");
  EXPECT_EQ(testing::refusedPathOf([] { checkCausalSynthesizer({.width = 12, .heads = 5}); }),
            "model.heads");
  EXPECT_EQ(testing::refusedPathOf([] { checkCausalSynthesizer({.length = 4096}); }), "accepted");
  EXPECT_EQ(testing::refusedPathOf([] { checkCausalSynthesizer({.length = 4097}); }),
            "model.mechanism");
}

}  // namespace headlight::causal_baselines_test
