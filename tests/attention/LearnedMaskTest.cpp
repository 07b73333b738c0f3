// SPDX-License-Identifier: GPL-3.0-or-later

// IBiT's learned masks: the layer against a deliberately naive double-precision reference, its
// gradients, the roll by direct indexing, what it starts from, and when a kept mask is forgotten.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/attention/Mechanisms.h"
#include "core/attention/softmax/LearnedMaskAttention.h"
#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/masks/Neighborhood.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"

namespace headlight::learned_mask_test {

struct Case {
  Grid grid;
  int heads, headWidth;
  std::string options;  ///< JSON
  std::vector<std::string> masks;
};

std::vector<Case> cases() {
  const std::string noise = "\"initialization\": \"random\"";
  return {{{3, 3, 1}, 1, 4, "{" + noise + "}", {"none"}},
          {{4, 6, 2}, 3, 8, "{" + noise + ", \"fidelity\": 5}", {"none", "hard:3", "soft:3@0.3"}},
          {{5, 3, 0}, 2, 5, "{" + noise + ", \"rolled\": false}", {"strict:3", "none"}},
          {{1, 7, 1}, 2, 6, "{" + noise + ", \"fidelity\": 1}", {"none", "none"}},
          {{4, 5, 1}, 2, 7, "{" + noise + ", \"placement\": \"logits\"}", {"none", "hard:3"}},
          {{4, 5, 1}, 2, 7, "{" + noise + ", \"placement\": \"products\"}", {"none", "hard:3"}},
          {{3, 4, 0},
           3,
           5,
           "{" + noise + ", \"placement\": \"products\", \"rolled\": false}",
           {"strict:3", "soft:3@0.3", "none"}},
          {{3, 4, 1}, 2, 5, "{" + noise + ", \"placement\": \"products\"}", {"decay:0.6", "none"}},
          {{4, 4, 1}, 2, 6, "{}", {"none", "none"}}};
}

std::shared_ptr<LearnedMaskAttention> makeLayer(const Case& c, at::ScalarType type) {
  seedTorch(3);
  auto layer =
      std::make_shared<LearnedMaskAttention>(AttentionOptions{.width = c.heads * c.headWidth,
                                                              .heads = c.heads,
                                                              .grid = c.grid,
                                                              .options = Json::parse(c.options)});
  layer->to(type);
  std::vector<HeadMask> masks;
  for (const auto& text : c.masks)
    masks.push_back(*headMaskFromText(text));
  layer->setMasks(masks);
  return layer;
}

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kDouble).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

at::Tensor named(LearnedMaskAttention& layer, const std::string& name) {
  const auto parameters = layer.named_parameters(), buffers = layer.named_buffers();
  return parameters.contains(name) ? parameters[name] : buffers[name];
}

/// W[h, i, j] by direct indexing: (𝒜ℬᵀ)[i, (j − i) mod N] between patches, 1 elsewhere.
double naiveW(const Case& c, const std::vector<double>& a, const std::vector<double>& b, int head,
              int i, int j) {
  const int patches = c.grid.patches(), prefix = c.grid.prefix;
  if (i < prefix || j < prefix) return 1.0;
  const int columns = static_cast<int>(a.size()) / c.heads / patches;
  const bool rolled = Json::parse(c.options).value("rolled", true);
  const int n = i - prefix, m = j - prefix;
  const int place = rolled ? ((m - n) % patches + patches) % patches : m;
  double sum = 0;
  for (int k = 0; k < columns; ++k)
    sum += a[(head * patches + n) * columns + k] * b[(head * patches + place) * columns + k];
  return sum;
}

double maskedLogit(const HeadMask& mask, bool inside, double s) {
  switch (mask.kind) {
    case MaskKind::Soft:
      return inside ? s : mask.alpha * s;
    case MaskKind::Strict:
      return inside ? s : -INFINITY;
    case MaskKind::Hard:
      return inside ? s : 0.0;
    default:
      return s;
  }
}

/// Algorithm 2 by loops: A [T, T] of one head.
std::vector<double> naiveMap(const Case& c, const std::vector<double>& qkv, int image, int head,
                             const std::vector<double>& a, const std::vector<double>& b) {
  const int tokens = c.grid.tokens(), width = c.heads * c.headWidth;
  const HeadMask mask = *headMaskFromText(c.masks[head]);
  const auto ones = neighborhoodMask(c.grid, mask.window);
  const bool onLogits = Json::parse(c.options).value("placement", "weights") == "logits";
  std::vector<double> map(tokens * tokens);
  for (int i = 0; i < tokens; ++i) {
    std::vector<double> logits(tokens);
    double sum = 0, absolutes = 0;
    for (int j = 0; j < tokens; ++j) {
      double s = 0;
      for (int k = 0; k < c.headWidth; ++k)
        s += qkv[(image * tokens + i) * 3 * width + head * c.headWidth + k] *
             qkv[(image * tokens + j) * 3 * width + width + head * c.headWidth + k];
      s /= std::sqrt(double(c.headWidth));
      if (onLogits) s *= naiveW(c, a, b, head, i, j);
      logits[j] = maskedLogit(mask, ones[i * tokens + j], s);
      sum += std::exp(logits[j]);
    }
    for (int j = 0; j < tokens; ++j) {
      map[i * tokens + j] = std::exp(logits[j]) / sum;
      if (!onLogits) map[i * tokens + j] *= naiveW(c, a, b, head, i, j);
      absolutes += std::abs(map[i * tokens + j]);
    }
    for (int j = 0; j < tokens; ++j)
      map[i * tokens + j] /= absolutes;  // 1 already where the softmax comes last
  }
  return map;
}

/// What a head's mask makes of a product without a softmax.
double productFactor(const Case& c, const HeadMask& mask, bool inside, int i, int j) {
  if (mask.kind == MaskKind::Decay) {
    const int n = i - c.grid.prefix, m = j - c.grid.prefix, cols = c.grid.cols;
    if (n < 0 || m < 0) return 1;
    return std::pow(mask.gamma, std::abs(n / cols - m / cols) + std::abs(n % cols - m % cols));
  }
  if (inside || mask.kind == MaskKind::None) return 1;
  return mask.kind == MaskKind::Soft ? mask.alpha : 0;
}

/// Algorithm 2 as printed, by loops: products times mask, over the Euclidean norm of their row. The
/// paper scales nothing by √d, which the norm takes out again.
std::vector<double> naiveProductMap(const Case& c, const std::vector<double>& qkv, int image,
                                    int head, const std::vector<double>& a,
                                    const std::vector<double>& b) {
  const int tokens = c.grid.tokens(), width = c.heads * c.headWidth;
  const HeadMask mask = *headMaskFromText(c.masks[head]);
  const auto ones = neighborhoodMask(c.grid, mask.window);
  std::vector<double> map(tokens * tokens);
  for (int i = 0; i < tokens; ++i) {
    double squares = 0;
    for (int j = 0; j < tokens; ++j) {
      double product = 0;
      for (int k = 0; k < c.headWidth; ++k)
        product += qkv[(image * tokens + i) * 3 * width + head * c.headWidth + k] *
                   qkv[(image * tokens + j) * 3 * width + width + head * c.headWidth + k];
      product *= naiveW(c, a, b, head, i, j);
      product *= productFactor(c, mask, ones[i * tokens + j] != 0, i, j);
      map[i * tokens + j] = product;
      squares += product * product;
    }
    for (int j = 0; j < tokens; ++j)
      map[i * tokens + j] /= std::sqrt(squares);
  }
  return map;
}

TEST(LearnedMask, EqualsTheNaiveReference) {
  constexpr double kTolerance = 1e-5;  // float32 against double
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    const int tokens = c.grid.tokens(), width = c.heads * c.headWidth;
    const at::Tensor x = at::randn({2, tokens, width}) * 2;
    const auto p = layer->named_parameters();
    const auto wide = [&](const char* name) { return p[name].to(at::kDouble); };
    const auto qkv = numbers(at::linear(x.to(at::kDouble), wide("qkv.weight"), wide("qkv.bias")));
    const auto a = numbers(p["learned_mask_a"]), b = numbers(p["learned_mask_b"]);
    at::Tensor mixed = at::zeros({2, tokens, width}, at::kDouble);
    CollectingHook tap;
    const at::NoGradGuard noGrad;
    const at::Tensor output = layer->forward(x, &tap), untapped = layer->forward(x, nullptr);
    EXPECT_TRUE(at::equal(output, untapped));
    const auto map = numbers(tap.maps.at(0));
    for (int image = 0; image < 2; ++image)
      for (int head = 0; head < c.heads; ++head) {
        const bool products = Json::parse(c.options).value("placement", "") == "products";
        const auto expected = products ? naiveProductMap(c, qkv, image, head, a, b)
                                       : naiveMap(c, qkv, image, head, a, b);
        for (int i = 0; i < tokens; ++i)
          for (int j = 0; j < tokens; ++j) {
            const double weight = expected[i * tokens + j];
            ASSERT_NEAR(map[((image * c.heads + head) * tokens + i) * tokens + j], weight,
                        kTolerance)
                << c.options << " " << i << "," << j;
            for (int k = 0; k < c.headWidth; ++k)
              mixed.data_ptr<double>()[(image * tokens + i) * width + head * c.headWidth + k] +=
                  weight *
                  qkv[(image * tokens + j) * 3 * width + 2 * width + head * c.headWidth + k];
          }
      }
    const at::Tensor expected = at::linear(mixed, wide("proj.weight"), wide("proj.bias"));
    EXPECT_LT((output.to(at::kDouble) - expected).abs().max().item<double>(), kTolerance);
  }
}

TEST(LearnedMask, GradientsAreFiniteDifferences) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble);
    const at::Tensor x =
        at::randn({2, c.grid.tokens(), c.heads * c.headWidth}, at::kDouble).requires_grad_();
    testing::expectLayerGradients(*layer, x);
  }
}

TEST(LearnedMask, RolledAndUnrolledAreDirectIndexing) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kDouble);
    const auto a = numbers(named(*layer, "learned_mask_a")),
               b = numbers(named(*layer, "learned_mask_b"));
    const int tokens = c.grid.tokens();
    const auto w = numbers(layer->mask());
    ASSERT_EQ(w.size(), std::size_t(c.heads * tokens * tokens));
    for (int head = 0; head < c.heads; ++head)
      for (int i = 0; i < tokens; ++i)
        for (int j = 0; j < tokens; ++j)
          ASSERT_NEAR(w[(head * tokens + i) * tokens + j], naiveW(c, a, b, head, i, j), 1e-12);
  }
}

TEST(LearnedMask, OfOnesIsPlainSoftmaxAttention) {
  for (const std::string placement : {"weights", "logits"}) {
    const Case c{{4, 5, 1}, 2, 8, "{\"placement\": \"" + placement + "\"}", {"none", "hard:3"}};
    const auto layer = makeLayer(c, at::kFloat);
    const auto plain = std::make_shared<SoftmaxAttention>(
        AttentionOptions{.width = 16, .heads = 2, .grid = c.grid});
    plain->setMasks({{}, *headMaskFromText("hard:3")});
    const at::NoGradGuard noGrad;
    for (const auto& item : plain->named_parameters())
      item.value().copy_(layer->named_parameters()[item.key()]);
    const at::Tensor x = at::randn({2, 21, 16}) * 2;
    const at::Tensor expected = plain->forward(x, nullptr);
    EXPECT_GT((layer->forward(x, nullptr) - expected).abs().max().item<double>(), 1e-3);
    // 𝒜ℬᵀ = 1: both have ones in their first column and zeros elsewhere.
    for (const char* name : {"learned_mask_a", "learned_mask_b"}) {
      at::Tensor factor = named(*layer, name);
      factor.zero_();
      factor.select(2, 0).fill_(1);
    }
    EXPECT_LT((layer->forward(x, nullptr) - expected).abs().max().item<double>(), 1e-6);
  }
}

/// Mean squared difference of the patches' part of W from what `expected(p(n), p(m))` says.
template <typename Expected>
double gapFromFilter(const at::Tensor& w, const Grid& grid, Expected expected) {
  double sum = 0;
  for (int n = 0; n < grid.patches(); ++n)
    for (int m = 0; m < grid.patches(); ++m) {
      const int down = m / grid.cols - n / grid.cols, right = m % grid.cols - n % grid.cols;
      const double gap = w[grid.prefix + n][grid.prefix + m].item<double>() - expected(down, right);
      sum += gap * gap;
    }
  return sum / grid.patches() / grid.patches();
}

TEST(LearnedMask, StartsAsItsFilterAndHeadsDiffer) {
  const Grid grid{6, 5, 1};
  const auto start = [&](const std::string& options) {
    return makeLayer({grid, 2, 8, options, {"none", "none"}}, at::kFloat);
  };
  const auto inside = [](int window, int down, int right) {
    return std::max(std::abs(down), std::abs(right)) <= (window - 1) / 2;
  };
  const at::NoGradGuard noGrad;
  const auto conv = start("{\"initialization\": \"conv\"}"), gaussian = start("{\"sigma\": 1.5}"),
             wide = start("{\"fidelity\": 5, \"window\": 3, \"initialization\": \"conv\"}");
  for (int head = 0; head < 2; ++head) {
    EXPECT_LT(gapFromFilter(conv->mask()[head], grid,
                            [&](int i, int j) { return inside(3, i, j) ? 1.0 : 0.0; }),
              1e-4);
    EXPECT_LT(gapFromFilter(wide->mask()[head], grid,
                            [&](int i, int j) { return inside(3, i, j) ? 1.0 : 0.0; }),
              1e-4);
    EXPECT_LT(gapFromFilter(gaussian->mask()[head], grid,
                            [&](int i, int j) {
                              return inside(3, i, j) ? std::exp(-(i * i + j * j) / 4.5) : 0.0;
                            }),
              1e-4);
  }
  const at::Tensor a = named(*gaussian, "learned_mask_a");
  EXPECT_GT((a[0] - a[1]).abs().max().item<double>(), 0.1);
  const at::Tensor noise = named(*start("{\"initialization\": \"random\"}"), "learned_mask_a");
  EXPECT_NEAR(noise.std().item<double>(), 1 / std::sqrt(3.0), 0.1);
  EXPECT_TRUE(at::equal(a, named(*start("{\"sigma\": 1.5}"), "learned_mask_a")));  // the same seed
}

TEST(LearnedMask, IsKeptOnlyWhileItsSubMasksStayAsTheyAre) {
  const Case c{{3, 4, 1}, 2, 4, "{}", {"none", "none"}};
  const auto layer = makeLayer(c, at::kFloat);
  at::Tensor a = named(*layer, "learned_mask_a");
  layer->eval();
  const auto isCurrent = [&] {
    const at::NoGradGuard noGrad;
    const double expected =
        naiveW(c, numbers(a), numbers(named(*layer, "learned_mask_b")), 0, 1, 1);
    return std::abs(layer->mask()[0][1][1].item<double>() - expected) < 1e-6;
  };
  /// As the optimizer's: LibTorch does not see it.
  const auto writeUnseen = [&] { a.data_ptr<float>()[0] += 1; };
  {
    const at::NoGradGuard noGrad;
    EXPECT_TRUE(layer->mask().is_same(layer->mask()));
    a.mul_(2);
    EXPECT_TRUE(isCurrent());
    writeUnseen();
    EXPECT_FALSE(isCurrent());
    layer->train();
    layer->eval();
    EXPECT_TRUE(isCurrent());
  }
  EXPECT_TRUE(layer->mask().requires_grad());  // as a training step, which then writes
  writeUnseen();
  EXPECT_TRUE(isCurrent());
  layer->to(at::kDouble);
  EXPECT_EQ(layer->mask().scalar_type(), at::kDouble);
}

TEST(LearnedMask, ThatIsNotLearnedIsABuffer) {
  const AttentionOptions options{
      .width = 8, .heads = 2, .grid = {3, 3, 1}, .options = {{"learned", false}}};
  LearnedMaskAttention layer(options);
  EXPECT_FALSE(layer.named_parameters().contains("learned_mask_a"));
  EXPECT_EQ(layer.named_buffers()["learned_mask_a"].sizes(), (std::vector<std::int64_t>{2, 9, 9}));
  EXPECT_FALSE(layer.mask().requires_grad());
  EXPECT_TRUE(layer.mask().is_same(layer.mask()));  // kept even while the rest is trained
  const auto counted = [](const AttentionOptions& o) {
    CostCounter counter;
    LearnedMaskAttention::count(counter, o);
    return counter.cost().parameters;
  };
  AttentionOptions learned = options;
  learned.options = Json::object();
  EXPECT_EQ(counted(learned) - counted(options), 2 * 2 * 9 * 9);
}

std::string refusedAt(const std::string& options) {
  try {
    LearnedMaskAttention(
        {.width = 8, .heads = 2, .grid = {3, 3, 1}, .options = Json::parse(options)});
  } catch (const Failure& failure) {
    return failure.error().where;
  }
  return "nowhere";
}

TEST(LearnedMask, RefusesNonsenseAtItsPath) {
  EXPECT_EQ(refusedAt("{}"), "nowhere");
  EXPECT_EQ(refusedAt("{\"placement\": \"before\"}"), "model.attention.placement");
  EXPECT_EQ(refusedAt("{\"initialization\": 3}"), "model.attention.initialization");
  EXPECT_EQ(refusedAt("{\"fidelity\": 0}"), "model.attention.fidelity");
  EXPECT_EQ(refusedAt("{\"fidelity\": 4}"), "model.attention.fidelity");
  EXPECT_EQ(refusedAt("{\"fidelity\": 4, \"window\": 3}"), "nowhere");
  EXPECT_EQ(refusedAt("{\"window\": 2}"), "model.attention.window");
  EXPECT_EQ(refusedAt("{\"sigma\": -1}"), "model.attention.sigma");
  EXPECT_EQ(refusedAt("{\"fidelty\": 3}"), "model.attention.fidelty");
}

TEST(LearnedMask, SaysWhetherItsMapsAreSigned) {
  const auto layer = [](const std::string& placement) {
    return makeAttention(
        "learned_mask",
        {.width = 8, .heads = 2, .grid = {3, 3, 1}, .options = {{"placement", placement}}});
  };
  EXPECT_TRUE(layer("weights")->mapIsSigned());
  EXPECT_TRUE(layer("products")->mapIsSigned());
  EXPECT_FALSE(layer("products")->mapRowsSumToOne());
  EXPECT_NE(layer("products")->mapMeaning().find("without a softmax"), std::string::npos);
  EXPECT_EQ(layer("products")->kernelText(), "matrix products");
  EXPECT_FALSE(layer("logits")->mapIsSigned());
}

/// The softmax of Algorithm 2's decided form is no rescaling of the products: the two differ, and
/// what is no product (a row of zeros) stays nothing instead of a mean over all.
TEST(LearnedMask, ProductsOfNothingAreNoWeights) {
  const Case c{{3, 3, 0}, 1, 4, R"({"placement": "products"})", {"none"}};
  const auto layer = makeLayer(c, at::kFloat);
  const at::NoGradGuard noGrad;
  const at::Tensor x = at::randn({1, 9, 4});
  const auto p = layer->named_parameters();
  p["qkv.bias"].zero_();
  p["qkv.weight"].slice(0, 0, 4).zero_();  // queries
  CollectingHook tap;
  const at::Tensor output = layer->forward(x, &tap);
  EXPECT_EQ(tap.maps.at(0).abs().max().item<double>(), 0);
  EXPECT_TRUE(at::allclose(output, p["proj.bias"].expand_as(output)));
}

/// Keys of another size change no weight: every row is divided by its norm.
TEST(LearnedMask, ProductsDoNotDependOnTheSizeOfKeys) {
  const Case c{{3, 4, 1}, 2, 4, R"({"placement": "products"})", {"none", "hard:3"}};
  const auto layer = makeLayer(c, at::kDouble);
  const at::NoGradGuard noGrad;
  const at::Tensor x = at::randn({2, 13, 8}, at::kDouble);
  const at::Tensor before = layer->forward(x, nullptr);
  const auto p = layer->named_parameters();
  p["qkv.weight"].slice(0, 8, 16).mul_(7);
  p["qkv.bias"].slice(0, 8, 16).mul_(7);
  EXPECT_LT((layer->forward(x, nullptr) - before).abs().max().item<double>(), 1e-12);
}

TEST(LearnedMask, ItsImageIsTheMask) {
  for (const Case& c : cases()) {
    const auto layer = makeLayer(c, at::kFloat);
    const auto pairs = layer->learnedPairs();
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0].name, "learned_mask");
    EXPECT_TRUE(pairs[0].isSigned);
    EXPECT_FALSE(pairs[0].seen.defined());  // every token sees all
    EXPECT_FALSE(pairs[0].values.requires_grad());
    EXPECT_TRUE(at::equal(pairs[0].values, layer->mask()));
  }
}

}  // namespace headlight::learned_mask_test
