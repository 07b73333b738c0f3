// SPDX-License-Identifier: GPL-3.0-or-later

// The Synthesizer against loops in double precision, with masks and without.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/Mechanisms.h"
#include "core/base/Result.h"
#include "tests/attention/Gradients.h"
#include "tests/attention/NaiveLayers.h"

namespace headlight::synthesizer_test {

using testing::Numbers;

constexpr double kSynthesizerTolerance = 2e-5;  // float32 against double

struct SynthesizerCase {
  std::string synthesis;
  Grid grid;
  int heads, headWidth;
  std::string mask = "none";

  int width() const { return heads * headWidth; }
};

std::vector<SynthesizerCase> synthesizerCases() {
  return {{"dense", {3, 3, 1}, 1, 4},
          {"dense", {2, 4, 0}, 3, 2},
          {"dense", {3, 4, 1}, 2, 3, "hard:3"},
          {"random", {3, 3, 1}, 2, 3},
          {"random", {2, 3, 2}, 1, 4, "soft:3@0.3"},
          {"factorized", {3, 3, 0}, 2, 3},
          {"factorized", {3, 4, 1}, 2, 2, "strict:3"}};
}

std::shared_ptr<Attention> synthesizerLayer(const SynthesizerCase& c, at::ScalarType type) {
  at::manual_seed(11);
  auto layer = makeAttention("synthesizer", {.layer = 1,
                                             .width = c.width(),
                                             .heads = c.heads,
                                             .grid = c.grid,
                                             .options = {{"synthesis", c.synthesis}, {"rank", 3}}});
  testing::stir(*layer);
  layer->setMasks(std::vector<HeadMask>(c.heads, valueOrThrow(headMaskFromText(c.mask))));
  layer->to(type);
  return layer;
}

/// Whether token s is among those that the mask of side 3 selects for t.
bool isSelected(const Grid& grid, int t, int s) {
  const int a = t - grid.prefix, b = s - grid.prefix;
  if (a < 0 || b < 0) return true;
  return std::abs(a / grid.cols - b / grid.cols) <= 1 &&
         std::abs(a % grid.cols - b % grid.cols) <= 1;
}

double maskedLogit(const SynthesizerCase& c, double logit, int t, int s) {
  if (c.mask == "none" || isSelected(c.grid, t, s)) return logit;
  if (c.mask.starts_with("strict")) return -INFINITY;
  return c.mask.starts_with("soft") ? 0.3 * logit : 0;
}

/// B of one head, [T, T], from plain numbers.
Numbers naiveLogits(const SynthesizerCase& c, const Attention& layer, const Numbers& hidden,
                    std::size_t h) {
  const auto tokens = static_cast<std::size_t>(c.grid.tokens()),
             each = static_cast<std::size_t>(c.headWidth), width = std::size_t(c.width());
  const auto parameters = layer.named_parameters();
  Numbers logits(tokens * tokens);
  for (std::size_t t = 0; t < tokens; ++t)
    for (std::size_t s = 0; s < tokens; ++s) {
      double& logit = logits[t * tokens + s];
      if (c.synthesis == "dense") {
        const Numbers weight = testing::numbersOf(parameters["logit_weight"]),
                      bias = testing::numbersOf(parameters["logit_bias"]);
        logit = bias[h * tokens + s];
        for (std::size_t f = 0; f < each; ++f)
          logit +=
              std::max(0.0, hidden[t * width + h * each + f]) * weight[(h * tokens + s) * each + f];
      } else if (c.synthesis == "random") {
        logit = testing::numbersOf(parameters["random_logits"])[(h * tokens + t) * tokens + s];
      } else {
        const Numbers u = testing::numbersOf(parameters["random_u"]),
                      v = testing::numbersOf(parameters["random_v"]);
        for (std::size_t r = 0; r < 3; ++r)
          logit += u[(h * tokens + t) * 3 + r] * v[(h * tokens + s) * 3 + r];
      }
    }
  return logits;
}

struct NaiveSynthesis {
  Numbers output, map;
};

NaiveSynthesis naiveSynthesis(const SynthesizerCase& c, const Attention& layer,
                              const at::Tensor& x) {
  const auto tokens = static_cast<std::size_t>(c.grid.tokens()), width = std::size_t(c.width()),
             each = static_cast<std::size_t>(c.headWidth), heads = std::size_t(c.heads);
  const Numbers rows = testing::numbersOf(x),
                values = testing::naiveLinear(layer, "value", rows, width);
  Numbers hidden;
  if (c.synthesis == "dense") hidden = testing::naiveLinear(layer, "hidden", rows, width);
  NaiveSynthesis result{Numbers(tokens * width), Numbers(heads * tokens * tokens)};
  for (std::size_t h = 0; h < heads; ++h) {
    const Numbers logits = naiveLogits(c, layer, hidden, h);
    for (std::size_t t = 0; t < tokens; ++t) {
      double* weights = &result.map[(h * tokens + t) * tokens];
      double sum = 0;
      for (std::size_t s = 0; s < tokens; ++s)
        sum += weights[s] = std::exp(maskedLogit(c, logits[t * tokens + s], int(t), int(s)));
      for (std::size_t s = 0; s < tokens; ++s) {
        weights[s] /= sum;
        for (std::size_t f = 0; f < each; ++f)
          result.output[t * width + h * each + f] += weights[s] * values[s * width + h * each + f];
      }
    }
  }
  result.output = testing::naiveLinear(layer, "proj", result.output, width);
  return result;
}

TEST(Synthesizer, EqualsTheNaiveReferenceWithAndWithoutMasks) {
  for (const SynthesizerCase& c : synthesizerCases()) {
    const auto layer = synthesizerLayer(c, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()});
    CollectingHook tap;
    const at::Tensor y = layer->forward(x, &tap);
    EXPECT_TRUE(at::equal(y, layer->forward(x, nullptr)));
    for (int b = 0; b < 2; ++b) {
      const NaiveSynthesis expected = naiveSynthesis(c, *layer, x[b]);
      EXPECT_LT(testing::gapOf(y[b], expected.output), kSynthesizerTolerance)
          << c.synthesis << " " << c.mask;
      EXPECT_LT(testing::gapOf(tap.maps.at(1)[b], expected.map), kSynthesizerTolerance)
          << c.synthesis << " " << c.mask;
    }
  }
}

TEST(Synthesizer, GradientsAreFiniteDifferences) {
  for (const SynthesizerCase& c : synthesizerCases()) {
    const auto layer = synthesizerLayer(c, at::kDouble);
    const at::Tensor x = at::randn({2, c.grid.tokens(), c.width()}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(Synthesizer, BelongsToOneImageSize) {
  for (const SynthesizerCase& c : synthesizerCases()) {
    const auto layer = synthesizerLayer(c, at::kFloat);
    EXPECT_THROW(layer->setGrid({7, 7, 1}), Failure) << c.synthesis;
    EXPECT_THROW(layer->setKept(at::zeros({1, 2}, at::kLong)), Failure) << c.synthesis;
  }
}

TEST(Synthesizer, CountsWhatItHasAndDoes) {
  const auto costOf = [](const std::string& synthesis) {
    CostCounter counter;
    findMechanism("synthesizer")
        .count(counter, {.width = 12,
                         .heads = 3,
                         .grid = {3, 3, 1},
                         .options = {{"synthesis", synthesis}, {"rank", 2}}});
    return counter.cost();
  };
  // T = 10: value and proj; A·V.
  const std::int64_t maps = 2 * 12 * 13, products = 10 * 2 * 12 * 12 + 10 * 10 * 12;
  EXPECT_EQ(costOf("dense").parameters, maps + 12 * 13 + 10 * 12 + 30);
  EXPECT_EQ(costOf("dense").macs, products + 10 * 12 * 12 + 10 * 10 * 12);
  EXPECT_EQ(costOf("random").parameters, maps + 3 * 100);
  EXPECT_EQ(costOf("random").macs, products);
  EXPECT_EQ(costOf("factorized").parameters, maps + 2 * 3 * 10 * 2);
  EXPECT_EQ(costOf("factorized").macs, products);
}

}  // namespace headlight::synthesizer_test
