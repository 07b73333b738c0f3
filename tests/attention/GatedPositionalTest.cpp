// SPDX-License-Identifier: GPL-3.0-or-later

// ConViT's gated positional attention: against a deliberately naive double-precision reference, its
// gradients, its gates' ends and its local initialization.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/attention/softmax/GatedPositionalAttention.h"
#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/masks/Neighborhood.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"

namespace headlight::gated_positional_test {

struct Case {
  Grid grid;
  int heads, headWidth;
  bool bias;
  std::vector<std::string> masks;
};

std::vector<Case> cases() {
  return {{{3, 3, 0}, 1, 4, true, {"none"}},
          {{4, 6, 0}, 4, 6, false, {"none", "hard:3", "soft:3@0.3", "strict:3"}},
          {{5, 2, 0}, 3, 5, true, {"none", "hard:3", "none"}},
          {{1, 7, 0}, 2, 3, false, {"none", "none"}}};
}

std::shared_ptr<GatedPositionalAttention> makeLayer(const Case& c, at::ScalarType type,
                                                    const Json& options = Json::object()) {
  seedTorch(3);
  auto layer =
      std::make_shared<GatedPositionalAttention>(AttentionOptions{.width = c.heads * c.headWidth,
                                                                  .heads = c.heads,
                                                                  .qkvBias = c.bias,
                                                                  .grid = c.grid,
                                                                  .options = options});
  layer->to(type);
  std::vector<HeadMask> masks;
  for (const auto& text : c.masks)
    masks.push_back(*headMaskFromText(text));
  layer->setMasks(masks);
  return layer;
}

/// Parameters that are nothing special: every one drawn anew.
void disturb(GatedPositionalAttention& layer) {
  const at::NoGradGuard noGrad;
  for (const auto& item : layer.named_parameters())
    if (item.key() != "soft_mask_logit") item.value().normal_(0, 0.4);
}

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kDouble).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

/// Row i of softmax over j of `logit(i, j)`.
template <typename Logit>
std::vector<double> softmaxRow(int tokens, int i, Logit logit) {
  std::vector<double> row(tokens);
  double sum = 0;
  for (int j = 0; j < tokens; ++j)
    sum += row[j] = std::exp(logit(i, j));
  for (double& value : row)
    value /= sum;
  return row;
}

double maskedLogit(const HeadMask& mask, bool inside, double s) {
  if (inside || mask.kind == MaskKind::None) return s;
  if (mask.kind == MaskKind::Strict) return -INFINITY;
  return mask.kind == MaskKind::Soft ? mask.alpha * s : 0.0;
}

TEST(GatedPositional, EqualsTheNaiveReference) {
  constexpr double kTolerance = 1e-5;  // float32 against double
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    disturb(*layer);
    const int tokens = c.grid.tokens(), width = c.heads * c.headWidth, d = c.headWidth;
    const at::Tensor x = at::randn({2, tokens, width});
    const auto p = layer->named_parameters();
    const auto linear = [&](const at::Tensor& input, const std::string& name) {
      const bool bias = p.contains(name + ".bias");
      return at::linear(input.to(at::kDouble), p[name + ".weight"].to(at::kDouble),
                        bias ? p[name + ".bias"].to(at::kDouble) : at::Tensor());
    };
    const auto qk = numbers(linear(x, "qk")), v = numbers(linear(x, "v")),
               place = numbers(p["pos_proj.weight"]), bias = numbers(p["pos_proj.bias"]),
               gates = numbers(p["gating_param"]);
    at::Tensor mixed = at::zeros({2, tokens, width}, at::kDouble);
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap);
    EXPECT_LT((output - layer->forward(x, nullptr)).abs().max().item<double>(), 1e-6);
    const auto map = numbers(tap.maps.at(0));
    for (int image = 0; image < 2; ++image)
      for (int head = 0; head < c.heads; ++head) {
        const HeadMask mask = *headMaskFromText(c.masks[head]);
        const auto ones = neighborhoodMask(c.grid, mask.window);
        const double share = 1 / (1 + std::exp(-gates[head]));
        for (int i = 0; i < tokens; ++i) {
          const auto content = softmaxRow(tokens, i, [&](int n, int m) {
            double s = 0;
            for (int k = 0; k < d; ++k)
              s += qk[(image * tokens + n) * 2 * width + head * d + k] *
                   qk[(image * tokens + m) * 2 * width + width + head * d + k];
            return maskedLogit(mask, ones[n * tokens + m], s / std::sqrt(double(d)));
          });
          const auto position = softmaxRow(tokens, i, [&](int n, int m) {
            const double down = m / c.grid.cols - n / c.grid.cols,
                         right = m % c.grid.cols - n % c.grid.cols;
            return place[head * 3] * right + place[head * 3 + 1] * down +
                   place[head * 3 + 2] * (right * right + down * down) + bias[head];
          });
          for (int j = 0; j < tokens; ++j) {
            const double weight = (1 - share) * content[j] + share * position[j];
            ASSERT_NEAR(map[((image * c.heads + head) * tokens + i) * tokens + j], weight,
                        kTolerance);
            for (int k = 0; k < d; ++k)
              mixed.data_ptr<double>()[(image * tokens + i) * width + head * d + k] +=
                  weight * v[(image * tokens + j) * width + head * d + k];
          }
        }
      }
    EXPECT_LT((output.to(at::kDouble) - linear(mixed, "proj")).abs().max().item<double>(),
              kTolerance);
  }
}

TEST(GatedPositional, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble);
    disturb(*layer);
    const at::Tensor x =
        at::randn({2, c.grid.tokens(), c.heads * c.headWidth}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(GatedPositional, WithItsGatesShutIsSoftmaxAttention) {
  const Case c{{4, 5, 0}, 4, 6, true, {"none", "hard:3", "none", "none"}};
  const auto layer = makeLayer(c, at::kFloat, {{"gate", -20.0}});
  const auto plain =
      std::make_shared<SoftmaxAttention>(AttentionOptions{.width = 24, .heads = 4, .grid = c.grid});
  plain->setMasks({{}, *headMaskFromText("hard:3"), {}, {}});
  const at::NoGradGuard noGrad;
  const auto p = layer->named_parameters(), q = plain->named_parameters();
  for (const std::string kind : {"weight", "bias"}) {
    q["qkv." + kind].copy_(at::cat({p["qk." + kind], p["v." + kind]}));
    q["proj." + kind].copy_(p["proj." + kind]);
  }
  const at::Tensor x = at::randn({2, 20, 24});
  EXPECT_LT((layer->forward(x, nullptr) - plain->forward(x, nullptr)).abs().max().item<double>(),
            1e-6);
  p["gating_param"].fill_(0);
  EXPECT_GT((layer->forward(x, nullptr) - plain->forward(x, nullptr)).abs().max().item<double>(),
            1e-2);
}

/// With a high strength and open gates, nine heads are the nine taps of a 3 × 3 convolution.
TEST(GatedPositional, StartsAsAConvolution) {
  const Case c{{5, 6, 0}, 9, 2, true, std::vector<std::string>(9, "none")};
  const auto layer = makeLayer(c, at::kFloat, {{"gate", 20.0}, {"locality_strength", 30.0}});
  const at::NoGradGuard noGrad;
  EXPECT_TRUE(at::equal(layer->named_parameters()["v.weight"], at::eye(18)));
  CollectingHook tap;
  layer->forward(at::randn({1, 30, 18}), &tap);
  for (int head = 0; head < 9; ++head) {
    const int down = head % 3 - 1, right = head / 3 - 1;
    const int query = 2 * 6 + 3, key = (2 + down) * 6 + 3 + right;
    EXPECT_NEAR(tap.maps[0][0][head][query][key].item<double>(), 1.0, 1e-5) << head;
  }
}

TEST(GatedPositional, RefusesPrefixTokensAndNonsense) {
  const auto refusedAt = [](Grid grid, const Json& options) -> std::string {
    try {
      GatedPositionalAttention({.width = 8, .heads = 2, .grid = grid, .options = options});
    } catch (const Failure& failure) {
      return failure.error().where;
    }
    return "nowhere";
  };
  EXPECT_EQ(refusedAt({3, 3, 0}, Json::object()), "nowhere");
  EXPECT_EQ(refusedAt({3, 3, 1}, Json::object()), "model.mechanism");
  EXPECT_EQ(refusedAt({3, 3, 0}, {{"gate", "open"}}), "model.attention.gate");
  EXPECT_EQ(refusedAt({3, 3, 0}, {{"locality_strength", -1}}), "model.attention.locality_strength");
}

}  // namespace headlight::gated_positional_test
