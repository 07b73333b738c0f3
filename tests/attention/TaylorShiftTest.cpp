// SPDX-License-Identifier: GPL-3.0-or-later

// TaylorShift (Nauen et al. 2024): the direct and the efficient form against loops, their crossover
// against the paper's table, and masks on its logits.

#include "core/attention/linear/TaylorShift.h"

#include <cmath>
#include <cstdlib>

#include "core/masks/Neighborhood.h"
#include "tests/attention/LaterLayers.h"

namespace headlight::taylor_shift_test {

using namespace testing;

constexpr double kTolerance = 2e-5;  // float32 against double

double maskedLogit(const HeadMask& mask, bool inside, double logit) {
  if (inside || mask.kind == MaskKind::None || mask.kind == MaskKind::Decay) return logit;
  return mask.kind == MaskKind::Soft ? mask.alpha * logit : 0.0;
}

/// Rows and columns between two patches; prefix tokens are nowhere.
int patchesBetween(const Grid& grid, std::size_t i, std::size_t j) {
  const int a = static_cast<int>(i) - grid.prefix, b = static_cast<int>(j) - grid.prefix;
  if (a < 0 || b < 0) return 0;
  return std::abs(a / grid.cols - b / grid.cols) + std::abs(a % grid.cols - b % grid.cols);
}

/// 1 + x + x²/2, times γ for each patch of distance where a mask decays, over the row's sum; strict
/// masks leave out what is outside.
Rows naiveTaylor(const LayerCase& c, const HeadMask& mask, double temperature, const Rows& q,
                 const Rows& k) {
  const auto ones = neighborhoodMask(c.grid, mask.kind == MaskKind::None ? 3 : mask.window);
  Rows weights;
  for (std::size_t i = 0; i < q.size(); ++i) {
    weights.emplace_back();
    for (std::size_t j = 0; j < k.size(); ++j) {
      const double cosine = dotOf(q[i], k[j]) / (lengthOf(q[i]) * lengthOf(k[j]));
      const bool inside = ones[i * k.size() + j] != 0;
      const double x = maskedLogit(mask, inside, temperature * cosine);
      const bool forbidden = mask.kind == MaskKind::Strict && !inside;
      const double decay =
          mask.kind == MaskKind::Decay ? std::pow(mask.gamma, patchesBetween(c.grid, i, j)) : 1;
      weights.back().push_back(forbidden ? 0 : (1 + x + x * x / 2) * decay);
    }
  }
  return overSums(weights);
}

/// Temperatures are not the 1 that they start from.
void setTemperatures(TaylorShift& layer) {
  const at::NoGradGuard noGrad;
  auto parameters = layer.named_parameters();
  parameters["taylor_temperature"].uniform_(0.5, 3);
}

void expectNaive(const LayerCase& c, const Json& own, const std::vector<HeadMask>& masks) {
  SCOPED_TRACE(own.dump());
  const at::NoGradGuard noGrad;
  const auto layer = makeLayerOf<TaylorShift>(c, own);
  setTemperatures(*layer);
  layer->setMasks(masks);
  const at::Tensor x = c.tokens(), temperatures = parameterOf(*layer, "taylor_temperature");
  NaiveHeads expected = naiveHeads(*layer, x, c.heads, [&](int h, const Rows& q, const Rows& k) {
    return naiveTaylor(c, masks[h], temperatures[h].item<double>(), q, k);
  });
  if (own.value("output_scale", true))
    expected.heads = expected.heads * std::sqrt(double(c.grid.tokens()) / c.headWidth);
  CollectingHook tap;
  EXPECT_LT(gapOf(layer->forward(x, &tap), projectedHeads(*layer, expected.heads)), kTolerance);
  EXPECT_LT(gapOf(tap.maps.at(0), expected.map), kTolerance);
  EXPECT_LT(gapOf(layer->forward(x, nullptr), layer->forward(x, &tap)), 1e-6);
  EXPECT_TRUE(layer->mapRowsSumToOne());
}

TEST(TaylorShift, BothFormsEqualTheNaiveReference) {
  for (const LayerCase& c : layerCases())
    for (const std::string form : {"direct", "efficient", "auto"})
      for (const bool scaled : {true, false})
        expectNaive(c, {{"form", form}, {"output_scale", scaled}}, std::vector<HeadMask>(c.heads));
}

TEST(TaylorShift, MasksActOnItsLogits) {
  const LayerCase c{{5, 6, 1}, 4, 2};
  for (const std::string form : {"direct", "auto"})
    expectNaive(c, {{"form", form}}, masksOf({"none", "hard:3", "soft:3@0.3", "strict:5"}));
}

/// Within a softmax a decay can be added to the logits; here x²/2 would grow with the distance.
TEST(TaylorShift, ADecayMultipliesItsWeights) {
  const LayerCase c{{5, 6, 1}, 4, 2};
  expectNaive(c, Json::object(), masksOf({"decay:0.3", "none", "decay:0.9", "strict:3"}));
  expectNaive(c, Json::object(), masksOf({"decay:1", "decay:0.01", "none", "none"}));
}

TEST(TaylorShift, GradientsWithMasksAreFiniteDifferences) {
  const LayerCase c{{3, 3, 0}, 2, 2};
  for (const char* first : {"strict:3", "decay:0.4"}) {
    const auto layer = makeLayerOf<TaylorShift>(c, Json::object(), at::kDouble);
    layer->setMasks(masksOf({first, "soft:3"}));
    testing::expectLayerGradients(*layer, c.tokens(at::kDouble).requires_grad_());
  }
}

TEST(TaylorShift, IsSoundWithEveryOption) {
  for (const std::string form : {"auto", "direct", "efficient"})
    expectSoundLayer<TaylorShift>({{"form", form}, {"output_scale", form != "direct"}});
}

TEST(TaylorShift, TheFormsAgreeBeyondRounding) {
  for (const auto& [tokens, width] : {std::pair{1, 5}, {37, 8}, {300, 3}}) {
    const at::Tensor q = at::randn({2, 3, tokens, width}, at::kDouble),
                     k = at::randn({2, 3, tokens, width}, at::kDouble),
                     v = at::randn({2, 3, tokens, width + 1}, at::kDouble);
    const at::Tensor direct = at::matmul(taylorSoftmax(at::matmul(q, k.transpose(-2, -1))), v);
    EXPECT_LT(gapOf(taylorEfficient(q, k, v), direct), 1e-12) << tokens;
  }
}

TEST(TaylorShift, TimeAndMemoryAreLinearInTheEfficientForm) {
  expectLinearInTokens<TaylorShift>(Json::object());
}

/// Table 1 of the paper.
TEST(TaylorShift, CrossoversAreThePapers) {
  struct Crossover {
    std::int64_t width, operations, memory;
  };
  for (const Crossover& c :
       {Crossover{8, 73, 47}, Crossover{16, 273, 159}, Crossover{32, 1057, 574},
        Crossover{64, 4161, 2174}, Crossover{128, 16513, 8446}}) {
    EXPECT_EQ(taylorCrossover(c.width), c.operations);
    EXPECT_EQ(taylorMemoryCrossover(c.width), c.memory);
  }
  // The first length at which the efficient form takes fewer operations, counted one by one.
  for (const std::int64_t d : {1, 2, 3, 5, 12, 64}) {
    std::int64_t tokens = 1;
    while (tokens * (4 * d + 6) < 4 * d * d * d + 10 * d * d + 9 * d + 4)
      ++tokens;
    EXPECT_EQ(taylorCrossover(d), tokens) << d;
  }
}

TEST(TaylorShift, TheFormGoesByLengthAndMasks) {
  const auto formOf = [](const LayerCase& c, const Json& own, const std::string& mask = "none") {
    const auto layer = makeLayerOf<TaylorShift>(c, own);
    layer->setMasks(std::vector<HeadMask>(c.heads, *headMaskFromText(mask)));
    const std::string before = layer->kernelText();
    layer->forward(c.tokens(), nullptr);
    EXPECT_EQ(layer->kernelText(), before);
    return before.substr(0, before.find(' '));
  };
  const LayerCase below{{2, 3, 0}, 2, 2}, from{{2, 3, 1}, 2, 2};  // 7 tokens for heads of width 2
  EXPECT_EQ(formOf(below, Json::object()), "direct");
  EXPECT_EQ(formOf(from, Json::object()), "efficient");
  EXPECT_EQ(formOf(from, Json::object(), "hard:3"), "direct");
  EXPECT_EQ(formOf(below, {{"form", "efficient"}}), "efficient");
  EXPECT_EQ(formOf(from, {{"form", "direct"}}), "direct");
}

TEST(TaylorShift, CountsTheFormThatRunsAndSaysTheCrossover) {
  const LayerCase c{{10, 10, 1}, 2, 32};
  const std::int64_t linear = 4 * 64 * 64;
  EXPECT_EQ(macsBeside<TaylorShift>(c, Json::object(), linear), 2 * 101 * 101 * 64);
  EXPECT_EQ(macsBeside<TaylorShift>(c, {{"form", "efficient"}}, linear),
            2 * 101 * 2 * (32 * 32 + 32) * 33);
  CostCounter counter;
  TaylorShift::count(counter, c.options(Json::object()));
  const std::vector<std::string> notices = counter.cost().notices;
  ASSERT_EQ(notices.size(), 1u);
  for (const char* words : {"101 tokens", "direct form", "1057", "574"})
    EXPECT_NE(notices[0].find(words), std::string::npos) << notices[0];
}

TEST(TaylorShift, RefusesNonsenseAndMasksOfTheEfficientForm) {
  const LayerCase c{{3, 3, 1}, 2, 4};
  EXPECT_EQ(pathOfRefusal([&] {
              makeLayerOf<TaylorShift>(c, {{"form", "fast"}});
            }),
            "model.attention.form");
  const auto layer = makeLayerOf<TaylorShift>(c, {{"form", "efficient"}});
  EXPECT_EQ(pathOfRefusal([&] { layer->setMasks(masksOf({"hard:3", "none"})); }), "masks");
  EXPECT_EQ(pathOfRefusal([&] { layer->setMasks(masksOf({"none", "none"})); }), "");
  EXPECT_TRUE(findMechanism("taylor_shift").variant.maskable);
}

}  // namespace headlight::taylor_shift_test
