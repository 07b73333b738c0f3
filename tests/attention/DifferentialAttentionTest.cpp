// SPDX-License-Identifier: GPL-3.0-or-later

// Differential attention against loops written from its definition (Ye et al. 2025), with MaiT's
// masks on both logits.

#include "core/attention/softmax/DifferentialAttention.h"

#include "core/masks/Neighborhood.h"
#include "tests/attention/LaterLayers.h"

namespace headlight::differential_attention_test {

using namespace testing;

constexpr double kTolerance = 1e-4;  // float32 against double, behind a norm

double maskedLogit(const HeadMask& mask, bool inside, double logit) {
  if (inside || mask.kind == MaskKind::None) return logit;
  if (mask.kind == MaskKind::Strict) return -INFINITY;
  return mask.kind == MaskKind::Soft ? mask.alpha * logit : 0.0;
}

/// The softmax of one half of the features: 0 or 1.
Rows halfOf(const LayerCase& c, const HeadMask& mask, int half, const Rows& q, const Rows& k) {
  const auto ones = neighborhoodMask(c.grid, mask.kind == MaskKind::None ? 3 : mask.window);
  const std::size_t width = q[0].size() / 2, first = half * width;
  Rows weights;
  for (std::size_t i = 0; i < q.size(); ++i) {
    Row logits;
    for (std::size_t j = 0; j < k.size(); ++j) {
      double dot = 0;
      for (std::size_t f = first; f < first + width; ++f)
        dot += q[i][f] * k[j][f];
      logits.push_back(
          maskedLogit(mask, ones[i * k.size() + j] != 0, dot / std::sqrt(double(width))));
    }
    weights.push_back(softmaxOf(logits));
  }
  return weights;
}

double naiveLambda(const DifferentialAttention& layer, double start) {
  const auto dot = [&](const char* a, const char* b) {
    const at::Tensor x = parameterOf(layer, a), y = parameterOf(layer, b);
    double sum = 0;
    for (std::int64_t i = 0; i < x.size(0); ++i)
      sum += x[i].item<double>() * y[i].item<double>();
    return std::exp(sum);
  };
  return dot("lambda_q1", "lambda_k1") - dot("lambda_q2", "lambda_k2") + start;
}

/// Over the root of the mean square, times the weight and 1 − λ_init.
void normalize(const Row& weight, double start, Rows& y) {
  for (Row& row : y) {
    const double root = std::sqrt(dotOf(row, row) / double(row.size()) + 1e-5);
    for (std::size_t f = 0; f < row.size(); ++f)
      row[f] = row[f] / root * weight[f] * (1 - start);
  }
}

/// λ and the norm are not what they start from, so that a mistake in them shows.
void stir(DifferentialAttention& layer) {
  const at::NoGradGuard noGrad;
  for (auto& item : layer.named_parameters()) {
    if (item.key().starts_with("lambda_")) item.value().normal_(0, 0.4);
    if (item.key() == "subln_weight") item.value().uniform_(0.5, 2);
  }
}

void expectNaive(const LayerCase& c, const std::vector<HeadMask>& masks) {
  const at::NoGradGuard noGrad;
  const auto layer = makeLayerOf<DifferentialAttention>(c, Json::object());
  stir(*layer);
  layer->setMasks(masks);
  const double start = 0.8 - 0.6 * std::exp(-0.3 * c.layer), lambda = naiveLambda(*layer, start);
  const Row weight = rowsOf(parameterOf(*layer, "subln_weight").unsqueeze(0))[0];
  const at::Tensor x = c.tokens();
  const NaiveHeads expected = naiveHeads(
      *layer, x, c.heads,
      [&](int h, const Rows& q, const Rows& k) {
        Rows weights = halfOf(c, masks[h], 0, q, k);
        const Rows other = halfOf(c, masks[h], 1, q, k);
        for (std::size_t i = 0; i < weights.size(); ++i)
          for (std::size_t j = 0; j < weights.size(); ++j)
            weights[i][j] -= lambda * other[i][j];
        return weights;
      },
      [&](int, const Rows&, Rows& y) { normalize(weight, start, y); });
  CollectingHook tap;
  EXPECT_LT(gapOf(layer->forward(x, &tap), projectedHeads(*layer, expected.heads)), kTolerance);
  EXPECT_LT(gapOf(tap.maps.at(c.layer), expected.map), kTolerance);
  EXPECT_LT(gapOf(tap.maps.at(c.layer).sum(-1), at::full({1}, 1 - lambda, at::kDouble)),
            kTolerance);
  ASSERT_EQ(layer->readings().size(), 1u);
  EXPECT_NEAR(layer->readings()[0].second, lambda, 1e-5);
}

TEST(DifferentialAttention, EqualsItsNaiveReference) {
  for (LayerCase c : layerCases())
    for (const int layer : {0, 3}) {
      c.layer = layer;
      expectNaive(c, std::vector<HeadMask>(c.heads));
    }
}

TEST(DifferentialAttention, MasksActOnBothLogits) {
  expectNaive({{5, 6, 1}, 4, 4}, masksOf({"none", "hard:3", "soft:3@0.3", "strict:5"}));
}

TEST(DifferentialAttention, IsSound) {
  expectSoundLayer<DifferentialAttention>(Json::object());
}

TEST(DifferentialAttention, MaskedGradientsAreFiniteDifferences) {
  const LayerCase c{{4, 3, 1}, 3, 4};
  const auto layer = makeLayerOf<DifferentialAttention>(c, Json::object(), at::kDouble);
  layer->setMasks(masksOf({"hard:3", "soft:3@0.4", "strict:3"}));
  expectLayerGradients(*layer, c.tokens(at::kDouble).requires_grad_());
}

TEST(DifferentialAttention, LambdaStartsByDepth) {
  EXPECT_NEAR(differentialLambda(0), 0.2, 1e-12);
  EXPECT_NEAR(differentialLambda(1), 0.35550907, 1e-7);
  EXPECT_NEAR(differentialLambda(100), 0.8, 1e-12);
}

TEST(DifferentialAttention, CountsTwoSoftmaxesOfHalfTheWidth) {
  EXPECT_EQ(macsBeside<DifferentialAttention>({{10, 10, 1}, 2, 32}, Json::object(), 4 * 64 * 64),
            2 * 101 * 101 * 64);
}

TEST(DifferentialAttention, RefusesHeadsWithoutHalves) {
  const LayerCase odd{{3, 3, 1}, 2, 5};
  EXPECT_EQ(pathOfRefusal([&] { makeLayerOf<DifferentialAttention>(odd, Json::object()); }),
            "model.heads");
  EXPECT_TRUE(findMechanism("differential").variant.maskable);
}

}  // namespace headlight::differential_attention_test
