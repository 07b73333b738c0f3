// SPDX-License-Identifier: GPL-3.0-or-later

// Focused (FLatten), rank-augmented (RALA) and magnitude-aware (MALA) linear attention against
// loops that form every pair, written from the papers' equations.

#include "core/attention/linear/FactoredAttention.h"

#include <algorithm>

#include "core/attention/linear/FocusedLinear.h"
#include "core/attention/linear/MagnitudeAware.h"
#include "core/attention/linear/RankAugmented.h"
#include "tests/attention/LaterLayers.h"

namespace headlight::factored_attention_test {

using namespace testing;  // headlight's, beside gtest's of the same name

constexpr double kTolerance = 2e-5;  // float32 against double

double eluPlusOne(double x) {
  return x > 0 ? x + 1 : std::exp(x);
}
double aboveZero(double x) {
  return std::max(x, 0.0) + 1e-6;
}

Rows featuresBy(Rows rows, double (*feature)(double)) {
  for (Row& row : rows)
    for (double& value : row)
      value = feature(value);
  return rows;
}

/// f_p(ReLU(x) + 1e-6), to the letter.
Rows naiveFocused(const Rows& x, double power) {
  Rows result = featuresBy(x, aboveZero);
  for (Row& row : result) {
    const double length = lengthOf(row);
    for (double& value : row)
      value = std::pow(value, power);
    const double raised = lengthOf(row);
    for (double& value : row)
      value *= length / raised;
  }
  return result;
}

Rows similarities(const Rows& q, const Rows& k) {
  Rows result;
  for (const Row& query : q) {
    result.emplace_back();
    for (const Row& key : k)
      result.back().push_back(dotOf(query, key));
  }
  return result;
}

/// T · softmax of the mean query's similarities.
Row naiveShares(const Rows& query, const Rows& key) {
  Row mean(query[0].size()), logits;
  for (const Row& row : query)
    for (std::size_t f = 0; f < mean.size(); ++f)
      mean[f] += row[f] / double(query.size());
  for (const Row& row : key)
    logits.push_back(dotOf(mean, row) / std::sqrt(double(mean.size())));
  Row shares = softmaxOf(logits);
  for (double& share : shares)
    share *= double(key.size());
  return shares;
}

Rows naiveRankAugmented(const Rows& q, const Rows& k, bool augmented) {
  const Rows query = featuresBy(q, eluPlusOne);
  Rows key = featuresBy(k, eluPlusOne);
  if (augmented) {
    const Row shares = naiveShares(query, key);
    for (std::size_t j = 0; j < key.size(); ++j)
      for (double& value : key[j])
        value *= shares[j];
  }
  return overSums(similarities(query, key));
}

Rows naiveMagnitudeAware(const Rows& q, const Rows& k, bool literal) {
  Rows weights = similarities(featuresBy(q, eluPlusOne), featuresBy(k, eluPlusOne));
  const double tokens = double(k.size());
  for (Row& row : weights) {
    double z = 0;
    for (double& s : row) {
      if (!literal) s /= tokens * std::sqrt(double(q[0].size()));
      z += s;
    }
    for (double& s : row)
      s = (1 + 1 / z) * s - z / tokens;
  }
  return weights;
}

/// The largest number, at least 1: similarities of the literal MALA have no bound.
double sizeOf(const at::Tensor& x) {
  return std::max(1.0, x.abs().max().item<double>());
}

/// Output and map beside the reference; filters are of each head's features, or of any head's.
template <typename Layer>
void expectNaive(const LayerCase& c, const Json& own, const std::string& convolution,
                 const NaiveWeights& weights) {
  SCOPED_TRACE(own.dump());
  const at::NoGradGuard noGrad;
  const auto layer = makeLayerOf<Layer>(c, own);
  const at::Tensor x = c.tokens(), filters = parameterOf(*layer, convolution + ".weight"),
                   bias = parameterOf(*layer, convolution + ".bias");
  EXPECT_EQ(filters.size(0), convolution == "dwc" ? c.headWidth : c.heads * c.headWidth);
  NaiveHeads expected = naiveHeads(*layer, x, c.heads, weights, [&](int h, const Rows& v, Rows& y) {
    addConvolution(filters, bias, convolution == "dwc" ? 0 : h * c.headWidth, c.grid, v, y);
  });
  if (hasParameter(*layer, "modulation.weight"))
    expected.heads =
        expected.heads * at::linear(x.to(at::kDouble), parameterOf(*layer, "modulation.weight"),
                                    parameterOf(*layer, "modulation.bias"));
  CollectingHook tap;
  const at::Tensor output = projectedHeads(*layer, expected.heads);
  EXPECT_LT(gapOf(layer->forward(x, &tap), output), kTolerance * sizeOf(output));
  EXPECT_LT(gapOf(tap.maps.at(0), expected.map), kTolerance * sizeOf(expected.map));
  EXPECT_LT(gapOf(tap.maps.at(0).sum(-1), at::ones({1})), kTolerance * sizeOf(expected.map));
}

TEST(FocusedLinear, EqualsItsNaiveReference) {
  for (const LayerCase& c : layerCases())
    for (const double focus : {1.0, 2.5, 3.0, 8.0})
      expectNaive<FocusedLinear>(
          c, {{"focus", focus}, {"convolution", 3}}, "dwc", [&](int, const Rows& q, const Rows& k) {
            return overSums(similarities(naiveFocused(q, focus), naiveFocused(k, focus)));
          });
}

TEST(FocusedLinear, KeepsNormsAndSharpensDirections) {
  const at::Tensor x = at::rand({5, 6}, at::kDouble) + 0.01;
  EXPECT_LT(gapOf(focused(x, 1), x), 1e-12);
  double last = 0;
  for (const double power : {1.0, 2.0, 4.0, 16.0}) {
    const at::Tensor y = focused(x, power);
    EXPECT_LT(gapOf(y.norm(2, {-1}, false), x.norm(2, {-1}, false)), 1e-12) << power;
    const double peak = (y.amax({-1}) / y.norm(2, {-1}, false)).sum().item<double>();
    EXPECT_GT(peak, last) << power;
    last = peak;
  }
}

TEST(FocusedLinear, SmallNumbersStayFinite) {
  const at::Tensor x = at::full({3, 4}, 1e-6, at::kFloat).requires_grad_();
  const at::Tensor y = focused(x, 16);
  EXPECT_LT(gapOf(y, x), 1e-12);
  y.sum().backward();
  EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
}

TEST(FocusedLinear, IsSoundWithEveryOption) {
  expectSoundLayer<FocusedLinear>(Json::object());
  expectSoundLayer<FocusedLinear>({{"focus", 1.5}, {"convolution", 3}});
}

TEST(RankAugmented, EqualsItsNaiveReference) {
  for (const LayerCase& c : layerCases())
    for (const bool buffer : {true, false})
      for (const bool output : {true, false})
        expectNaive<RankAugmented>(
            c, {{"augment_buffer", buffer}, {"augment_output", output}}, "lepe",
            [&](int, const Rows& q, const Rows& k) { return naiveRankAugmented(q, k, buffer); });
}

TEST(RankAugmented, IsSoundWithEveryOption) {
  expectSoundLayer<RankAugmented>(Json::object());
  expectSoundLayer<RankAugmented>(
      {{"augment_buffer", false}, {"augment_output", false}, {"convolution", 1}});
}

TEST(MagnitudeAware, EqualsItsNaiveReference) {
  for (const LayerCase& c : layerCases())
    for (const bool literal : {true, false})
      expectNaive<MagnitudeAware>(
          c, {{"scaling", literal ? "literal" : "released"}, {"modulation", literal}}, "lepe",
          [&](int, const Rows& q, const Rows& k) { return naiveMagnitudeAware(q, k, literal); });
}

TEST(MagnitudeAware, IsSoundWithEveryOption) {
  expectSoundLayer<MagnitudeAware>(Json::object());
  expectSoundLayer<MagnitudeAware>({{"scaling", "literal"}, {"modulation", false}});
}

/// What the paper is about: in a quotient alone the length of a query is lost.
TEST(MagnitudeAware, ALongerQueryMakesASharperRow) {
  const LayerCase c{{3, 4, 0}, 1, 4};
  const auto aware = makeLayerOf<MagnitudeAware>(c, {{"scaling", "literal"}}, at::kDouble);
  const at::Tensor k = at::randn({1, 1, 12, 4}, at::kDouble);
  double last = 0;
  for (const double length : {0.5, 2.0, 8.0}) {
    const KernelFeatures f = aware->features(at::full({1, 1, 12, 4}, length, at::kDouble), k);
    const at::Tensor map = at::matmul(f.query, f.key.transpose(-2, -1));
    const at::Tensor row = map[0][0][0];
    const double spread = (row - row.mean()).square().sum().item<double>();
    EXPECT_GT(spread, last) << length;
    last = spread;
  }
}

TEST(FactoredAttention, TimeAndMemoryAreLinear) {
  expectLinearInTokens<FocusedLinear>(Json::object());
  expectLinearInTokens<RankAugmented>(Json::object());
  expectLinearInTokens<MagnitudeAware>(Json::object());
}

TEST(FactoredAttention, TakesAnotherGridAsALayerMadeForIt) {
  const at::NoGradGuard noGrad;
  const LayerCase small{{3, 4, 1}, 2, 4}, large{{5, 6, 1}, 2, 4};
  const auto moved = makeLayerOf<RankAugmented>(small, Json::object());
  const auto made = makeLayerOf<RankAugmented>(large, Json::object());
  moved->setGrid(large.grid);
  const at::Tensor x = large.tokens();
  EXPECT_TRUE(at::equal(moved->forward(x, nullptr), made->forward(x, nullptr)));
}

TEST(FactoredAttention, DeadFeaturesStayFinite) {
  const LayerCase c{{2, 2, 0}, 1, 4};
  const at::Tensor dead = at::full({1, 1, 4, 4}, -200.0, at::kFloat);
  const auto isFinite = [&](const FactoredAttention& layer) {
    const KernelFeatures f = layer.features(dead, dead);
    return f.query.isfinite().all().item<bool>() && f.key.isfinite().all().item<bool>();
  };
  const auto focus = makeLayerOf<FocusedLinear>(c, {{"focus", 16}});
  const auto rank = makeLayerOf<RankAugmented>(c, Json::object());
  const auto magnitude = makeLayerOf<MagnitudeAware>(c, Json::object());
  EXPECT_TRUE(isFinite(*focus));
  EXPECT_TRUE(isFinite(*rank));
  EXPECT_TRUE(isFinite(*magnitude));
}

TEST(FactoredAttention, CountsProductsAndConvolutions) {
  const LayerCase c{{10, 10, 1}, 2, 32};
  const std::int64_t linear = 4 * 64 * 64, products = 2 * 101 * 32 * 64, taps = 25 * 64 * 100;
  EXPECT_EQ(macsBeside<FocusedLinear>(c, Json::object(), linear), products + taps);
  EXPECT_EQ(macsBeside<RankAugmented>(c, Json::object(), linear + 64 * 64),
            products + taps + 101 * 64);
  EXPECT_EQ(macsBeside<MagnitudeAware>(c, {{"modulation", false}}, linear),
            2 * 101 * 33 * 64 + taps);
}

TEST(FactoredAttention, RefusesNonsenseAndMasks) {
  const LayerCase c{{3, 3, 1}, 2, 4};
  const auto refused = [&](const std::string& name, const Json& own) {
    return pathOfRefusal([&] { makeAttention(name, c.options(own)); });
  };
  for (const std::string name : {"focused_linear", "rank_augmented", "magnitude_aware"}) {
    EXPECT_EQ(refused(name, {{"convolution", 4}}), "model.attention.convolution") << name;
    EXPECT_EQ(refused(name, {{"convolution", 0}}), "model.attention.convolution") << name;
    EXPECT_EQ(refused(name, {{"kernel", "relu"}}), "model.attention.kernel") << name;
    EXPECT_EQ(refused(name, Json::object()), "") << name;
    const auto layer = makeAttention(name, c.options(Json::object()));
    EXPECT_EQ(pathOfRefusal([&] { layer->setMasks(masksOf({"hard:3", "none"})); }), "masks");
    EXPECT_EQ(pathOfRefusal([&] {
                layer->setKept(at::zeros({1, 2}, at::kLong));
              }),
              "model.mechanism");
    EXPECT_FALSE(findMechanism(name).variant.maskable);
  }
  EXPECT_EQ(refused("focused_linear", {{"focus", 0.5}}), "model.attention.focus");
  EXPECT_EQ(refused("magnitude_aware", {{"scaling", "none"}}), "model.attention.scaling");
}

}  // namespace headlight::factored_attention_test
