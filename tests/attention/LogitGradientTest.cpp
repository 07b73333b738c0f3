// SPDX-License-Identifier: GPL-3.0-or-later

// The gradient at the logits of learned-mask attention, beside central differences in double of a
// loop that is written out, under every kind of head mask.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/softmax/LearnedMaskAttention.h"

namespace headlight::logit_gradient_test {

constexpr int kHeads = 4, kWidth = 8, kEach = 2;
const Grid kSmallGrid{2, 3, 1};

std::vector<HeadMask> maskOfEveryKind() {
  std::vector<HeadMask> masks(kHeads);
  const MaskKind kinds[kHeads] = {MaskKind::None, MaskKind::Hard, MaskKind::Soft, MaskKind::Strict};
  for (int h = 0; h < kHeads; ++h)
    masks[static_cast<std::size_t>(h)].kind = kinds[h];
  return masks;
}

bool near(int a, int b) {
  if (a == 0 || b == 0) return true;  // the class token
  const int n = a - 1, m = b - 1;
  return std::abs(n / 3 - m / 3) <= 1 && std::abs(n % 3 - m % 3) <= 1;
}

/// One row of weights without a softmax: over its Euclidean norm.
std::vector<double> naiveProductRow(std::vector<double> s, const at::Tensor& w, int query,
                                    const HeadMask& mask) {
  double squares = 0;
  for (std::size_t j = 0; j < s.size(); ++j) {
    s[j] *= w[static_cast<std::int64_t>(j)].item<double>();
    if (!near(query, static_cast<int>(j))) {
      if (mask.kind == MaskKind::Hard || mask.kind == MaskKind::Strict) s[j] = 0;
      if (mask.kind == MaskKind::Soft) s[j] *= mask.alpha;
    }
    squares += s[j] * s[j];
  }
  for (double& value : s)
    value /= std::sqrt(squares);
  return s;
}

/// One row of weights from its logits, as mechanisms.md has it.
std::vector<double> naiveRow(std::vector<double> s, const at::Tensor& w, int query,
                             const HeadMask& mask, bool onLogits) {
  double sum = 0, all = 0;
  for (std::size_t j = 0; j < s.size(); ++j) {
    if (onLogits) s[j] *= w[static_cast<std::int64_t>(j)].item<double>();
    const bool in = near(query, static_cast<int>(j));
    if (mask.kind == MaskKind::Hard && !in) s[j] = 0;
    if (mask.kind == MaskKind::Soft && !in) s[j] *= mask.alpha;
    if (mask.kind == MaskKind::Strict && !in) s[j] = -INFINITY;
    s[j] = std::exp(s[j]);
    sum += s[j];
  }
  for (std::size_t j = 0; j < s.size(); ++j) {
    s[j] /= sum;
    if (!onLogits) s[j] *= w[static_cast<std::int64_t>(j)].item<double>();
    all += std::abs(s[j]);
  }
  for (double& value : s)
    value /= all;
  return s;
}

class LogitGradient : public ::testing::TestWithParam<const char*> {};

TEST_P(LogitGradient, IsThatOfCentralDifferences) {
  at::manual_seed(5);
  AttentionOptions options;
  options.width = kWidth;
  options.heads = kHeads;
  options.grid = kSmallGrid;
  options.options = Json::parse(
      std::string(R"({"fidelity": 3, "placement": ")") + GetParam() +
      R"(", "initialization": "random", "sigma": 1.0, "window": 0, "rolled": true, "learned": true})");
  LearnedMaskAttention attention(options);
  attention.to(at::kDouble);
  attention.eval();
  const auto masks = maskOfEveryKind();
  attention.setMasks(masks);
  const int tokens = kSmallGrid.tokens();
  const at::Tensor x = at::randn({1, tokens, kWidth}, at::kDouble);
  const at::Tensor slopes = at::randn({1, tokens, kWidth}, at::kDouble);
  const at::Tensor gradient = attention.logitGradient(x, slopes).detach();
  ASSERT_EQ(gradient.sizes().vec(), (std::vector<std::int64_t>{1, kHeads, tokens, tokens}));

  const at::NoGradGuard noGrad;
  const auto parameters = attention.named_parameters();
  const at::Tensor qkv = (x.matmul(parameters["qkv.weight"].t()) + parameters["qkv.bias"])
                             .view({tokens, 3, kHeads, kEach});
  const at::Tensor w = attention.mask();
  for (int h = 0; h < kHeads; ++h)
    for (int n = 0; n < tokens; ++n) {
      std::vector<double> s(static_cast<std::size_t>(tokens));
      for (int m = 0; m < tokens; ++m)
        s[static_cast<std::size_t>(m)] =
            (qkv[n][0][h] * qkv[m][1][h]).sum().item<double>() / std::sqrt(double{kEach});
      const auto loss = [&](const std::vector<double>& logits) {
        const HeadMask& mask = masks[static_cast<std::size_t>(h)];
        const std::string placement = GetParam();
        const auto row = placement == "products"
                             ? naiveProductRow(logits, w[h][n], n, mask)
                             : naiveRow(logits, w[h][n], n, mask, placement == "logits");
        double sum = 0;
        for (int m = 0; m < tokens; ++m)
          sum += row[static_cast<std::size_t>(m)] *
                 (qkv[m][2][h] * slopes[0][n].slice(0, h * kEach, (h + 1) * kEach))
                     .sum()
                     .item<double>();
        return sum;
      };
      for (int m = 0; m < tokens; ++m) {
        constexpr double kStep = 1e-6;
        auto above = s, below = s;
        above[static_cast<std::size_t>(m)] += kStep;
        below[static_cast<std::size_t>(m)] -= kStep;
        const double expected = (loss(above) - loss(below)) / (2 * kStep);
        EXPECT_NEAR(gradient[0][h][n][m].item<double>(), expected, 2e-6 * (1 + std::abs(expected)))
            << h << " " << n << " " << m;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Placements, LogitGradient,
                         ::testing::Values("weights", "logits", "products"));

}  // namespace headlight::logit_gradient_test
