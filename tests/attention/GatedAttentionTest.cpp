// SPDX-License-Identifier: GPL-3.0-or-later

// Gated attention against loops (Qiu et al. 2025, the gate after the attention products), and
// beside softmax attention, which it is with gates of 1.

#include "core/attention/softmax/GatedAttention.h"

#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/masks/Neighborhood.h"
#include "tests/attention/LaterLayers.h"

namespace headlight::gated_attention_test {

using namespace testing;

constexpr double kTolerance = 2e-5;  // float32 against double

double maskedLogit(const HeadMask& mask, bool inside, double logit) {
  if (inside || mask.kind == MaskKind::None) return logit;
  if (mask.kind == MaskKind::Strict) return -INFINITY;
  return mask.kind == MaskKind::Soft ? mask.alpha * logit : 0.0;
}

Rows naiveSoftmax(const LayerCase& c, const HeadMask& mask, const Rows& q, const Rows& k) {
  const auto ones = neighborhoodMask(c.grid, mask.kind == MaskKind::None ? 3 : mask.window);
  Rows weights;
  for (std::size_t i = 0; i < q.size(); ++i) {
    Row logits;
    for (std::size_t j = 0; j < k.size(); ++j)
      logits.push_back(maskedLogit(mask, ones[i * k.size() + j] != 0,
                                   dotOf(q[i], k[j]) / std::sqrt(double(q[0].size()))));
    weights.push_back(softmaxOf(logits));
  }
  return weights;
}

/// heads [B, T, D] times σ of the gate's linear map, feature by feature.
at::Tensor naivelyGated(const LayerCase& c, const GatedAttention& layer, const at::Tensor& x,
                        const at::Tensor& heads) {
  const at::Tensor logits = at::linear(x.to(at::kDouble), parameterOf(layer, "output_gate.weight"),
                                       parameterOf(layer, "output_gate.bias"));
  const bool headwise = logits.size(2) == c.heads;
  at::Tensor result = heads.clone();
  auto values = result.accessor<double, 3>();
  const auto gates = logits.accessor<double, 3>();
  for (std::int64_t b = 0; b < x.size(0); ++b)
    for (std::int64_t t = 0; t < x.size(1); ++t)
      for (std::int64_t f = 0; f < x.size(2); ++f)
        values[b][t][f] /= 1 + std::exp(-gates[b][t][headwise ? f / c.headWidth : f]);
  return result;
}

void expectNaive(const LayerCase& c, const std::string& gate, const std::vector<HeadMask>& masks) {
  SCOPED_TRACE(gate);
  const at::NoGradGuard noGrad;
  const auto layer = makeLayerOf<GatedAttention>(c, {{"gate", gate}});
  layer->setMasks(masks);
  const at::Tensor x = c.tokens();
  const NaiveHeads expected = naiveHeads(
      *layer, x, c.heads,
      [&](int h, const Rows& q, const Rows& k) { return naiveSoftmax(c, masks[h], q, k); });
  const at::Tensor output = projectedHeads(*layer, naivelyGated(c, *layer, x, expected.heads));
  CollectingHook tap;
  EXPECT_LT(gapOf(layer->forward(x, &tap), output), kTolerance);
  EXPECT_LT(gapOf(tap.maps.at(0), expected.map), kTolerance);
  EXPECT_TRUE(layer->mapRowsSumToOne());
}

TEST(GatedAttention, EqualsItsNaiveReference) {
  for (const LayerCase& c : layerCases())
    for (const std::string gate : {"elementwise", "headwise"})
      expectNaive(c, gate, std::vector<HeadMask>(c.heads));
}

TEST(GatedAttention, HeadsAreMaskedAsThoseOfSoftmaxAttention) {
  for (const std::string gate : {"elementwise", "headwise"})
    expectNaive({{5, 6, 1}, 4, 4}, gate, masksOf({"none", "hard:3", "soft:3@0.3", "strict:5"}));
}

TEST(GatedAttention, IsSoundWithEveryOption) {
  for (const std::string gate : {"elementwise", "headwise"})
    expectSoundLayer<GatedAttention>({{"gate", gate}});
}

/// On a grid where hard and strict heads run by the linear-time kernel.
TEST(GatedAttention, WithOpenGatesIsSoftmaxAttentionByItsKernels) {
  const LayerCase c{{24, 24, 1}, 3, 8};
  const auto masks = masksOf({"hard:3", "none", "strict:3"});
  const at::NoGradGuard noGrad;
  const auto gated = makeLayerOf<GatedAttention>(c, Json::object());
  const auto plain = makeLayerOf<SoftmaxAttention>(c, Json::object());
  auto from = gated->named_parameters();
  from["output_gate.weight"].zero_();
  from["output_gate.bias"].fill_(40);
  for (auto& item : plain->named_parameters())
    item.value().copy_(from[item.key()]);
  gated->setMasks(masks);
  plain->setMasks(masks);
  const at::Tensor x = c.tokens();
  EXPECT_LT(gapOf(gated->forward(x, nullptr), plain->forward(x, nullptr)), 1e-6);
  EXPECT_EQ(gated->kernelText(), plain->kernelText());
}

TEST(GatedAttention, ReportsTheMeanOfItsGates) {
  const LayerCase c{{3, 3, 1}, 2, 4};
  const at::NoGradGuard noGrad;
  const auto layer = makeLayerOf<GatedAttention>(c, Json::object());
  EXPECT_TRUE(layer->readings().empty());
  auto parameters = layer->named_parameters();
  parameters["output_gate.weight"].zero_();
  parameters["output_gate.bias"].fill_(std::log(3.0));
  layer->forward(c.tokens(), nullptr);
  ASSERT_EQ(layer->readings().size(), 1u);
  EXPECT_EQ(layer->readings()[0].first, "gate");
  EXPECT_NEAR(layer->readings()[0].second, 0.75, 1e-6);
}

TEST(GatedAttention, CountsItsGates) {
  const LayerCase c{{10, 10, 1}, 2, 32};
  const std::int64_t linear = 4 * 64 * 64, products = 2 * 101 * 101 * 64;
  EXPECT_EQ(macsBeside<GatedAttention>(c, Json::object(), linear + 64 * 64), products);
  EXPECT_EQ(macsBeside<GatedAttention>(c, {{"gate", "headwise"}}, linear + 64 * 2), products);
}

TEST(GatedAttention, RefusesNonsense) {
  const LayerCase c{{3, 3, 1}, 2, 4};
  EXPECT_EQ(pathOfRefusal([&] {
              makeLayerOf<GatedAttention>(c, {{"gate", "shared"}});
            }),
            "model.attention.gate");
  EXPECT_TRUE(findMechanism("gated_softmax").variant.maskable);
}

}  // namespace headlight::gated_attention_test
