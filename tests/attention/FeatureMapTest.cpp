// SPDX-License-Identifier: GPL-3.0-or-later

// The Linear Transformer and the Performer against loops in double precision that form every
// similarity, and the random features against what the paper proves of them.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/Mechanisms.h"
#include "core/attention/linear/FeatureMapAttention.h"
#include "core/attention/linear/Performer.h"
#include "core/attention/linear/RandomFeatures.h"
#include "core/base/Random.h"
#include "tests/attention/Gradients.h"
#include "tests/attention/NaiveLayers.h"

namespace headlight::feature_map_test {

using testing::Numbers;

constexpr double kFeatureTolerance = 2e-5;  // float32 against double

struct FeatureCase {
  std::string mechanism;
  Json options;
  Grid grid;
  int heads, headWidth;

  int width() const { return heads * headWidth; }
};

std::vector<FeatureCase> featureCases() {
  return {{"linear_transformer", Json::object(), {3, 3, 1}, 1, 4},
          {"linear_transformer", Json::object(), {2, 5, 0}, 3, 2},
          {"performer", Json::object(), {3, 3, 1}, 2, 4},
          {"performer", {{"features", 11}, {"feature_seed", 5}}, {2, 4, 2}, 1, 3},
          {"performer", {{"features", 1}}, {4, 2, 0}, 3, 1}};
}

std::shared_ptr<Attention> featureLayer(const FeatureCase& c, at::ScalarType type, int layer = 2) {
  at::manual_seed(11);
  auto made = makeAttention(
      c.mechanism,
      {.layer = layer, .width = c.width(), .heads = c.heads, .grid = c.grid, .options = c.options});
  testing::stir(*made);
  made->to(type);
  return made;
}

/// φ of one vector, with nothing taken off its exponents.
Numbers naiveFeatures(const FeatureCase& c, const double* x) {
  const auto width = static_cast<std::size_t>(c.headWidth);
  Numbers features;
  if (c.mechanism == "linear_transformer") {
    for (std::size_t f = 0; f < width; ++f)
      features.push_back(x[f] > 0 ? x[f] + 1 : std::exp(x[f]));
    return features;
  }
  const auto count = c.options.value("features", std::int64_t{0});
  const std::int64_t m =
      count > 0 ? count
                : std::max<std::int64_t>(1, std::int64_t(c.headWidth * std::log(c.headWidth)));
  const auto seed = static_cast<std::uint64_t>(c.options.value("feature_seed", 0));
  const Numbers vectors =
      testing::numbersOf(orthogonalVectors(m, c.headWidth, streamKey({seed, 2, 0})));
  const double scale = std::pow(double(c.headWidth), -0.25);
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
    double exponent = 0;
    for (std::size_t f = 0; f < width; ++f)
      exponent += vectors[i * width + f] * x[f] * scale - x[f] * x[f] * scale * scale / 2;
    features.push_back(std::exp(exponent) / std::sqrt(double(m)));
  }
  return features;
}

struct NaiveMixed {
  Numbers output;  ///< [T, D]
  Numbers map;     ///< [H, T, T]
};

NaiveMixed naiveMixed(const FeatureCase& c, const torch::nn::Module& layer, const at::Tensor& x) {
  const auto width = static_cast<std::size_t>(c.width()), heads = std::size_t(c.heads),
             each = static_cast<std::size_t>(c.headWidth);
  const Numbers rows = testing::numbersOf(x), q = testing::naiveLinear(layer, "query", rows, width),
                k = testing::naiveLinear(layer, "key", rows, width),
                v = testing::naiveLinear(layer, "value", rows, width);
  const std::size_t tokens = rows.size() / width;
  NaiveMixed result{Numbers(tokens * width), Numbers(heads * tokens * tokens)};
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t t = 0; t < tokens; ++t) {
      double* weights = &result.map[(h * tokens + t) * tokens];
      const Numbers query = naiveFeatures(c, &q[t * width + h * each]);
      double sum = 0;
      for (std::size_t s = 0; s < tokens; ++s) {
        const Numbers key = naiveFeatures(c, &k[s * width + h * each]);
        for (std::size_t f = 0; f < key.size(); ++f)
          weights[s] += query[f] * key[f];
        sum += weights[s];
      }
      for (std::size_t s = 0; s < tokens; ++s) {
        weights[s] /= sum;
        for (std::size_t f = 0; f < each; ++f)
          result.output[t * width + h * each + f] += weights[s] * v[s * width + h * each + f];
      }
    }
  result.output = testing::naiveLinear(layer, "proj", result.output, width);
  return result;
}

TEST(FeatureMapAttention, EqualsTheNaiveReference) {
  for (const FeatureCase& c : featureCases()) {
    const auto layer = featureLayer(c, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()});
    CollectingHook tap;
    const at::Tensor y = layer->forward(x, nullptr), tapped = layer->forward(x, &tap);
    EXPECT_TRUE(at::equal(y, tapped));
    for (int b = 0; b < 2; ++b) {
      const NaiveMixed expected = naiveMixed(c, *layer, x[b]);
      EXPECT_LT(testing::gapOf(y[b], expected.output), kFeatureTolerance) << c.mechanism;
      EXPECT_LT(testing::gapOf(tap.maps.at(2)[b], expected.map), kFeatureTolerance) << c.mechanism;
    }
  }
}

TEST(FeatureMapAttention, GradientsAreFiniteDifferences) {
  for (const FeatureCase& c : featureCases()) {
    const auto layer = featureLayer(c, at::kDouble);
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(FeatureMapAttention, TakesAnyNumberOfTokens) {
  for (const FeatureCase& c : featureCases()) {
    const auto layer = featureLayer(c, at::kFloat);
    layer->setGrid({9, 7, 1});
    layer->setKept(at::zeros({2, 5}, at::kLong));
    EXPECT_EQ(layer->forward(at::randn({2, 6, c.width()}), nullptr).size(1), 6) << c.mechanism;
  }
}

TEST(FeatureMapAttention, LargeQueriesAndKeysStayInRange) {
  for (const FeatureCase& c : featureCases()) {
    const auto layer = featureLayer(c, at::kFloat);
    const at::Tensor x = (at::randn({1, c.grid.tokens(), c.width()}) * 100).requires_grad_();
    const at::Tensor y = layer->forward(x, nullptr);
    EXPECT_TRUE(y.isfinite().all().item<bool>()) << c.mechanism;
    y.sum().backward();
    EXPECT_TRUE(x.grad().isfinite().all().item<bool>()) << c.mechanism;
  }
}

TEST(FeatureMapAttention, CostsAreLinearInTheTokens) {
  const auto macsOf = [](const std::string& mechanism, const Json& options, int side) {
    CostCounter counter;
    findMechanism(mechanism).count(
        counter, {.width = 24, .heads = 3, .grid = {side, side, 0}, .options = options});
    return counter.cost().macs;
  };
  // Four maps, and of 8 features a head twice 16 · 8 · 24.
  EXPECT_EQ(macsOf("linear_transformer", Json::object(), 4), 16 * (4 * 24 * 24 + 2 * 8 * 24));
  EXPECT_EQ(macsOf("linear_transformer", Json::object(), 8),
            4 * macsOf("linear_transformer", Json::object(), 4));
  // ⌊8 ln 8⌋ = 16; they are made of queries and keys.
  EXPECT_EQ(macsOf("performer", Json::object(), 4), 16 * (4 * 24 * 24 + 4 * 16 * 24));
  EXPECT_EQ(macsOf("performer", {{"features", 5}}, 4), 16 * (4 * 24 * 24 + 4 * 5 * 24));
}

TEST(RandomFeatures, VectorsAreOrthogonalInBlocksAndAsLongAsNormalOnes) {
  const at::Tensor vectors = orthogonalVectors(20, 8, 3);
  for (const auto& [first, last] : {std::pair{0, 8}, std::pair{8, 16}, std::pair{16, 20}}) {
    const at::Tensor block = vectors.slice(0, first, last), products = block.mm(block.t());
    EXPECT_LT((products - products.diag().diag()).abs().max().item<double>(), 1e-12);
  }
  const at::Tensor lengths = orthogonalVectors(4000, 8, 4).square().sum(1);
  EXPECT_NEAR(lengths.mean().item<double>(), 8, 0.3);  // χ² of 8 degrees
  EXPECT_NEAR(lengths.var().item<double>(), 16, 2);
}

TEST(RandomFeatures, VectorsFollowFromSeedLayerAndDrawAlone) {
  const auto vectorsOf = [](int seed, int layer, int redraws, double progress) {
    RandomFeatures features(
        {.count = 6, .width = 4, .seed = seed, .layer = layer, .redraws = redraws});
    features.setProgress(progress);
    return features.vectors(at::zeros({1}, at::kDouble)).clone();
  };
  const at::Tensor first = vectorsOf(1, 2, 0, 0);
  EXPECT_TRUE(at::equal(vectorsOf(1, 2, 0, 1), first)) << "never drawn anew";
  EXPECT_TRUE(at::equal(vectorsOf(1, 2, 3, 0.2), first)) << "the first of four draws";
  EXPECT_FALSE(at::equal(vectorsOf(1, 2, 3, 0.3), first));
  EXPECT_FALSE(at::equal(vectorsOf(2, 2, 0, 0), first));
  EXPECT_FALSE(at::equal(vectorsOf(1, 3, 0, 0), first));
  RandomFeatures features({.count = 6, .width = 4, .redraws = 2});
  EXPECT_EQ(features.draw(), 2) << "trained, unless told otherwise";
  for (const auto& [progress, draw] :
       {std::pair{0.0, 0}, std::pair{0.32, 0}, std::pair{0.34, 1}, std::pair{1.0, 2}}) {
    features.setProgress(progress);
    EXPECT_EQ(features.draw(), draw) << progress;
  }
}

/// Lemma 1: E[φ(q)·φ(k)] = exp(q·k/√d). The variance grows as exp(‖q' + k'‖²), so they are short.
TEST(RandomFeatures, EstimateTheSoftmaxKernelWithoutBias) {
  at::manual_seed(2);
  const at::Tensor q = at::randn({5, 4}, at::kDouble) * 0.4,
                   k = at::randn({5, 4}, at::kDouble) * 0.4;
  const at::Tensor expected = (q.mm(k.t()) / 2).exp();
  const std::int64_t count = 40000;
  const at::Tensor vectors = orthogonalVectors(count, 4, 9);
  const at::Tensor estimate =
      featureExponents(q, vectors).exp().mm(featureExponents(k, vectors).exp().t()) / count;
  EXPECT_LT(((estimate - expected) / expected).abs().max().item<double>(), 0.1);
}

TEST(Performer, MoreFeaturesComeCloserToSoftmax) {
  at::manual_seed(3);
  const at::Tensor q = at::randn({1, 2, 12, 8}, at::kDouble) * 0.5, k = at::randn_like(q) * 0.5;
  const at::Tensor softmax = (q.matmul(k.transpose(-2, -1)) / std::sqrt(8.0)).softmax(-1);
  const auto errorWith = [&](std::int64_t count) {
    const at::Tensor vectors = orthogonalVectors(count, 8, 1);
    const at::Tensor map = featureWeights(performerQueries(q, vectors), performerKeys(k, vectors));
    return (map - softmax).abs().mean().item<double>();
  };
  EXPECT_LT(errorWith(8192), errorWith(8) / 3);
  EXPECT_LT(errorWith(8192), 0.01);
}

TEST(Performer, RedrawsChangeItsNumbersAsTrainingGoesOn) {
  const FeatureCase c{"performer", {{"redraws", 1}}, {3, 3, 1}, 2, 4};
  const auto layer = featureLayer(c, at::kFloat);
  const at::NoGradGuard noGrad;
  const at::Tensor x = at::randn({1, c.grid.tokens(), c.width()});
  const at::Tensor last = layer->forward(x, nullptr);
  layer->setProgress(0.2);
  const at::Tensor first = layer->forward(x, nullptr);
  EXPECT_EQ(layer->readings().at(0).second, 0);
  layer->setProgress(0.4);
  EXPECT_TRUE(at::equal(layer->forward(x, nullptr), first));
  layer->setProgress(0.6);
  EXPECT_FALSE(at::equal(layer->forward(x, nullptr), first));
  EXPECT_TRUE(at::equal(layer->forward(x, nullptr), last));
  EXPECT_EQ(layer->readings().at(0).second, 1);
}

}  // namespace headlight::feature_map_test
