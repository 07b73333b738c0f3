// SPDX-License-Identifier: GPL-3.0-or-later

// Direct logit attribution and composition scores beside explicit matrices in double precision.

#include <cmath>
#include <numeric>

#include "core/workbench/interventions/HeadComposition.h"
#include "core/workbench/interventions/LogitAttribution.h"
#include "tests/workbench/interventions/InterventionSupport.h"

namespace headlight {
namespace {

std::map<std::string, at::Tensor> exactState(InferenceSession& session) {
  std::map<std::string, at::Tensor> state;
  withModel(session, [&](Model& model) {
    for (const auto& [name, tensor] : model.state())
      state[name] = tensor.detach().to(at::kDouble).clone();
  });
  return state;
}

/// What `part` [T, D] adds to the logit of `row`, when tokens are divided by what the last ones
/// deviate and the classifier reads the class token, or the mean of all.
double naiveShare(const at::Tensor& part, const at::Tensor& last, const at::Tensor& weight,
                  const at::Tensor& row, bool classToken) {
  double sum = 0;
  const std::int64_t tokens = last.size(0), width = last.size(1);
  for (std::int64_t t = 0; t < (classToken ? 1 : tokens); ++t) {
    const double scale =
        std::sqrt((last[t] - last[t].mean()).square().mean().item<double>() + 1e-6);
    const double mean = part[t].mean().item<double>();
    double token = 0;
    for (std::int64_t i = 0; i < width; ++i)
      token += (part[t][i].item<double>() - mean) / scale * weight[i].item<double>() *
               row[i].item<double>();
    sum += token / (classToken ? 1 : static_cast<double>(tokens));
  }
  return sum;
}

TEST(LogitAttribution, IsTheNaiveSum) {
  const at::NoGradGuard noGrad;
  for (const bool classToken : {true, false}) {
    ModelConfig config = microVit();
    config.classToken = classToken;
    const InterventionModel model(config);
    const NaiveVit vit = model.naive();
    const at::Tensor image = explanationTensor(model.image);
    const NaiveParts parts = naiveParts(vit, image);
    const at::Tensor last = vit.pass(image).leaving.back();
    auto state = exactState(*model.session);
    const at::Tensor row = state["head.weight"][3] - state["head.weight"][1];
    const auto share = [&](const at::Tensor& part) {
      return naiveShare(part, last, state["norm.weight"], row, classToken);
    };
    const auto found =
        valueOrThrow(attributeLogit(*model.session, model.image, model.masks, {3, 1}));
    const double logit = (vit.logits(image)[3] - vit.logits(image)[1]).item<double>();
    const double tolerance = 1e-3 * (1 + std::abs(logit));
    EXPECT_NEAR(found.logit, logit, tolerance);
    EXPECT_NEAR(found.embedding, share(parts.at({"residual", 0})), tolerance);
    double sum = found.constant + found.embedding;
    for (int l = 0; l < 3; ++l) {
      EXPECT_NEAR(found.attention[l], share(parts.at({"attention", l})), tolerance);
      EXPECT_NEAR(found.mlp[l], share(parts.at({"mlp", l})), tolerance);
      EXPECT_NEAR(found.rest[l], 0, tolerance);
      sum += found.attention[l] + found.mlp[l];
      ASSERT_EQ(found.heads[l].size(), 3u);
      const at::Tensor projection = state["blocks." + std::to_string(l) + ".attn.proj.weight"];
      for (int h = 0; h < 3; ++h) {
        const at::Tensor own = parts.at({"heads", l}).slice(1, 8 * h, 8 * h + 8);
        EXPECT_NEAR(found.heads[l][h], share(own.matmul(projection.slice(1, 8 * h, 8 * h + 8).t())),
                    tolerance);
      }
    }
    EXPECT_NEAR(sum, logit, tolerance) << classToken;
  }
}

TEST(LogitAttribution, RefusesWhatIsNotLinear) {
  ModelConfig config = microVit();
  config.layout["pooling"] = "attention";
  const InterventionModel model(checkedAndCompleted(config));
  EXPECT_FALSE(attributeLogit(*model.session, model.image, model.masks));
  const InterventionModel plain;
  EXPECT_FALSE(attributeLogit(*plain.session, plain.image, plain.masks, {7, -1}));
  EXPECT_FALSE(attributeLogit(*plain.session, plain.image, plain.masks, {2, 2}));
}

/// ‖AB‖ / (‖A‖ ‖B‖) of whole D × D matrices.
double naiveScore(const at::Tensor& a, const at::Tensor& b) {
  return (a.matmul(b).norm() / (a.norm() * b.norm())).item<double>();
}

TEST(HeadComposition, IsThatOfWholeMatrices) {
  const at::NoGradGuard noGrad;
  ModelConfig config = microVit();
  config.layerScale = 0.5;
  const InterventionModel model(config);
  auto state = exactState(*model.session);
  withModel(*model.session, [&](Model& own) {
    for (const auto& [name, tensor] : own.trainable())
      if (name.find("norm1.weight") != std::string::npos || name.find("ls1") != std::string::npos)
        at::Tensor(tensor).uniform_(0.2, 2);
  });
  state = exactState(*model.session);
  const auto found = valueOrThrow(composeHeads(*model.session));
  EXPECT_EQ(found.total(), 9);
  EXPECT_NEAR(found.chance, 1 / std::sqrt(24.0), 1e-12);
  const auto matrix = [&](int layer, int head, int which) {  // [8, 24] rows of q, k, v
    const std::string block = "blocks." + std::to_string(layer) + ".";
    return state[block + "attn.qkv.weight"].slice(0, 24 * which + 8 * head,
                                                  24 * which + 8 * head + 8) *
           state[block + "norm1.weight"];
  };
  const auto ov = [&](int layer, int head) {
    const std::string block = "blocks." + std::to_string(layer) + ".";
    return (state[block + "attn.proj.weight"].slice(1, 8 * head, 8 * head + 8) *
            state[block + "ls1.gamma"].unsqueeze(1))
        .matmul(matrix(layer, head, 2));
  };
  for (int to = 0; to < 3; ++to)
    for (int t = 0; t < 3; ++t)
      for (int from = 0; from < 3; ++from)
        for (int f = 0; f < 3; ++f) {
          const auto at = static_cast<std::size_t>(found.index(to, t)) * 9 + found.index(from, f);
          if (from >= to) {
            EXPECT_TRUE(std::isnan(found.query[at]));
            continue;
          }
          const at::Tensor qk = matrix(to, t, 0).t().matmul(matrix(to, t, 1));
          const at::Tensor written = ov(from, f);
          EXPECT_NEAR(found.query[at], naiveScore(qk.t(), written), 1e-9);
          EXPECT_NEAR(found.key[at], naiveScore(qk, written), 1e-9);
          EXPECT_NEAR(found.value[at], naiveScore(ov(to, t), written), 1e-9);
        }
  const auto pairs = strongestPairs(found, CompositionInput::Key, 5);
  ASSERT_EQ(pairs.size(), 5u);
  EXPECT_GE(pairs[0].score, pairs[4].score);
}

TEST(HeadComposition, RefusesOtherAttention) {
  ModelConfig config = microVit();
  config.mechanism = "talking_heads";
  config.attention = Json::object();
  const InterventionModel model(checkedAndCompleted(config));
  EXPECT_FALSE(composeHeads(*model.session));
}

}  // namespace
}  // namespace headlight
