// SPDX-License-Identifier: GPL-3.0-or-later

// What speaks for a class and what patches have in common, beside a plain ViT in double precision
// whose maps' gradients are finite differences.

#include "core/workbench/attribution/Explanations.h"

#include <cmath>

#include "core/attention/kernels/KernelChoice.h"
#include "tests/models/Pairings.h"
#include "tests/workbench/ExplanationSupport.h"
#include "tests/workbench/NaiveVit.h"

namespace headlight {
namespace {

constexpr double kStep = 1e-4;
constexpr int kClass = 4;

/// ∂logit/∂x by central differences, for every entry of what is added to x.
at::Tensor slopesByDifferences(NaiveVit& vit, const at::Tensor& image,
                               std::map<int, at::Tensor>& added, int layer,
                               const at::Tensor& like) {
  at::Tensor slopes = at::zeros(like.sizes(), at::kDouble);
  for (std::int64_t i = 0; i < like.numel(); ++i) {
    const auto logitWith = [&](double step) {
      at::Tensor change = at::zeros(like.sizes(), at::kDouble);
      change.view({-1})[i] = step;
      added[layer] = change;
      return vit.logits(image)[kClass].item<double>();
    };
    slopes.view({-1})[i] = (logitWith(kStep) - logitWith(-kStep)) / (2 * kStep);
  }
  added.clear();
  return slopes;
}

/// mean_h((∇A ⊙ A)⁺) of every layer.
std::vector<at::Tensor> naiveFactors(NaiveVit& vit, const at::Tensor& image) {
  std::vector<at::Tensor> factors;
  const auto maps = vit.pass(image).maps;
  for (int l = 0; l < vit.depth; ++l) {
    const at::Tensor slopes = slopesByDifferences(vit, image, vit.addedToMap, l, maps[l]);
    factors.push_back((slopes * maps[l]).clamp_min(0).mean(0));
  }
  return factors;
}

/// R as a whole matrix, from the first layer to the last.
at::Tensor naiveRelevance(const std::vector<at::Tensor>& factors) {
  at::Tensor r = at::eye(factors.front().size(0), at::kDouble);
  for (const at::Tensor& factor : factors)
    r = r + factor.matmul(r);
  return r;
}

Heatmap heatmapOf(InferenceSession& session, const RawImages& image, const std::string& method,
                  int layer = -1) {
  return valueOrThrow(imageHeatmap(session, image, explanationMasks(session), method,
                                   {.classIndex = kClass, .layer = layer}));
}

TEST(ClassHeatmap, IsTheNaiveOneOnAVitWithAClassToken) {
  const auto session = explanationSession(microVit());
  const RawImages image = explanationImage(microVit());
  withModel(*session, [&](Model& model) {
    NaiveVit vit(model);
    const at::Tensor input = explanationTensor(image);
    ASSERT_LT((vit.logits(input) - model.forward(input)[0]).abs().max().item<double>(), 1e-4);
  });
  NaiveVit vit = [&] {
    std::optional<NaiveVit> made;
    withModel(*session, [&](Model& model) { made.emplace(model); });
    return *made;
  }();
  const at::Tensor input = explanationTensor(image);
  const at::NoGradGuard noGrad;
  const auto factors = naiveFactors(vit, input);
  const Heatmap relevance = heatmapOf(*session, image, "relevance");
  EXPECT_LT(wayDistance(relevance.values, naiveRelevance(factors)[0].slice(0, 1)), 1e-4);
  EXPECT_EQ(relevance.layer, -1);
  EXPECT_EQ(relevance.className, "class 4");
  for (int l = 0; l < vit.depth; ++l) {
    const Heatmap one = heatmapOf(*session, image, "attention-gradient", l);
    if (factors[l][0].abs().max().item<double>() < 1e-9) continue;
    EXPECT_LT(wayDistance(one.values, factors[l][0].slice(0, 1)), 1e-4) << l;
  }
}

TEST(ClassHeatmap, IsTheNaiveOneOnAVitWithoutClassToken) {
  ModelConfig config = microVit();
  config.classToken = false;
  const auto session = explanationSession(config);
  const RawImages image = explanationImage(config);
  std::optional<NaiveVit> vit;
  withModel(*session, [&](Model& model) { vit.emplace(model); });
  const at::NoGradGuard noGrad;
  const auto factors = naiveFactors(*vit, explanationTensor(image));
  const Heatmap relevance = heatmapOf(*session, image, "relevance");
  EXPECT_LT(wayDistance(relevance.values, naiveRelevance(factors).mean(0)), 1e-4);
  EXPECT_NE(relevance.note.find("mean over the query patches"), std::string::npos);
}

TEST(ClassHeatmap, GradCamIsTheNaiveOne) {
  for (const bool classToken : {true, false}) {
    ModelConfig config = microVit();
    config.classToken = classToken;
    const auto session = explanationSession(config);
    const RawImages image = explanationImage(config);
    std::optional<NaiveVit> vit;
    withModel(*session, [&](Model& model) { vit.emplace(model); });
    const at::NoGradGuard noGrad;
    const int last = vit->depth - 1, prefix = classToken ? 1 : 0;
    const at::Tensor entering = vit->pass(explanationTensor(image)).entering[last];
    const at::Tensor slopes =
        slopesByDifferences(*vit, explanationTensor(image), vit->addedToEntering, last, entering);
    const at::Tensor weights = slopes.slice(0, prefix).mean(0);
    const at::Tensor expected = entering.slice(0, prefix).matmul(weights).clamp_min(0);
    const Heatmap cam = heatmapOf(*session, image, "grad-cam");
    EXPECT_LT(wayDistance(cam.values, expected), 1e-4) << classToken;
    EXPECT_EQ(cam.layer, last);
  }
}

TEST(ClassHeatmap, TheKernelsAndThePlainFormsAgree) {
  for (const auto& [name, config] : costlyPairings()) {
    const auto session = explanationSession(config);
    const RawImages image = explanationImage(config);
    for (const ExplanationInfo& method : explanationMethods()) {
      if (!method.isClassHeatmap()) continue;
      const int layer = method.ofLayer ? 0 : -1;  // the last stage may be one patch
      const Heatmap fused = heatmapOf(*session, image, method.name, layer);
      Heatmap plain;
      {
        const PlainKernels wanted;
        plain = heatmapOf(*session, image, method.name, layer);
      }
      const at::Tensor expected = at::tensor(plain.values, at::kDouble);
      EXPECT_LT(wayDistance(fused.values, expected), 2e-4) << name << " " << method.name;
    }
  }
}

TEST(ClassHeatmap, MaskedHeadsAgreeToo) {
  ModelConfig config = microVit();
  for (const char* kernel : {"dense", "linear"}) {
    config.attention["kernel"] = kernel;
    const auto session = explanationSession(config);
    const RawImages image = explanationImage(config);
    const MaskScheme masks =
        *makeMaskPreset("sch1", makeMaskShape(session->info().experiment.model));
    const auto relevance = [&] {
      return valueOrThrow(
          imageHeatmap(*session, image, masks, "relevance", {.classIndex = kClass}));
    };
    const Heatmap fused = relevance();
    const PlainKernels plain;
    EXPECT_LT(wayDistance(fused.values, at::tensor(relevance().values, at::kDouble)), 1e-4)
        << kernel;
  }
}

/// The sum of a heatmap's magnitudes; a number for every patch, of 0 or more unless it is signed.
double checkedSum(const Result<Heatmap>& heatmap, const std::string& what) {
  EXPECT_TRUE(heatmap) << what << (heatmap ? "" : heatmap.error().text());
  if (!heatmap) return 0;
  EXPECT_EQ(static_cast<int>(heatmap->values.size()), heatmap->grid.patches()) << what;
  EXPECT_FALSE(heatmapTitle(*heatmap).empty() || heatmapMeaning(*heatmap).empty()) << what;
  double sum = 0;
  for (const float value : heatmap->values) {
    EXPECT_TRUE(std::isfinite(value) && (value >= 0 || heatmap->isSigned)) << what;
    sum += std::abs(value);
  }
  return sum;
}

TEST(ClassHeatmap, EveryMechanismHasItsHeats) {
  for (const auto& [name, config] : costlyPairings()) {
    const auto session = explanationSession(config);
    const RawImages image = explanationImage(config);
    for (const ExplanationInfo& method : explanationMethods()) {
      if (!method.isClassHeatmap()) continue;
      const int layer = method.ofLayer ? 0 : -1;  // the last stage may be one patch
      double sum = 0;  // nothing may speak for a class: ask until one has
      for (int index = 0; index < config.classes && sum == 0; ++index)
        sum += checkedSum(imageHeatmap(*session, image, explanationMasks(*session), method.name,
                                       {.classIndex = index, .layer = layer}),
                          name + " " + method.name);
      EXPECT_GT(sum, 0) << name << " " << method.name;
    }
  }
}

/// What ∂L/∂weights = ∂L/∂mixed · valuesᵀ stands on.
TEST(FollowedMaps, MixTheValuesByTheWeights) {
  class CachePolicy : public AttentionHook {
   public:
    bool wants(int) const override { return true; }
    void take(int, const at::Tensor& map) override { whole = map; }
    void follow(int, FollowedMap map) override { followed = std::move(map); }
    at::Tensor whole;
    FollowedMap followed;
  };
  for (const auto& [name, config] : pairings()) {
    const auto session = explanationSession(config);
    withModel(*session, [&, &name = name](Model& model) {
      const at::AutoGradMode withGradients(
          true);  // else some layers write over what they are given
      at::Tensor tokens = model.embed(explanationTensor(explanationImage(model.config())));
      for (int l = 0; l < model.layers(); ++l) {
        CachePolicy tap;
        tokens = model.block(l, tokens, &tap);
        ASSERT_FALSE(tap.followed.products.empty()) << name;
        std::vector<at::Tensor> weights;
        for (const WeighedValues& product : tap.followed.products) {
          weights.push_back(product.weights);
          if (!product.values.defined()) {
            EXPECT_TRUE(at::equal(product.mixed, product.weights)) << name;
            continue;
          }
          // AFT weighs every feature by a matrix of its own, of which the map is the mean.
          if (name.find("aft_") != std::string::npos && name.find("aft_conv") == std::string::npos)
            continue;
          at::Tensor mixed = product.weights.matmul(product.values);
          if (product.mixed.dim() == 3) mixed = mixed.transpose(1, 2).flatten(2);
          EXPECT_LT((mixed - product.mixed).abs().max().item<double>(), 1e-4) << name;
        }
        const at::Tensor whole = tap.followed.whole ? tap.followed.whole(weights) : weights[0];
        if (name.find("cait") == std::string::npos || l < model.config().depth) {
          EXPECT_LT((whole - tap.whole).abs().max().item<double>(), 1e-5) << name << " " << l;
        }
      }
    });
  }
}

TEST(ClassHeatmap, RefusesWhatCannotBe) {
  const auto session = explanationSession(microVit());
  const RawImages image = explanationImage(microVit());
  const MaskScheme masks = explanationMasks(*session);
  const auto refusal = [&](const RawImages& of, const std::string& method,
                           ExplanationOptions options) {
    const auto heatmap = imageHeatmap(*session, of, masks, method, options);
    EXPECT_FALSE(heatmap);
    return heatmap ? std::string() : heatmap.error().text();
  };
  EXPECT_NE(refusal(image, "relevance", {.classIndex = 7}).find("no class 7"), std::string::npos);
  EXPECT_NE(refusal(image, "grad-cam", {.layer = 3}).find("no layer 3"), std::string::npos);
  EXPECT_NE(refusal(image, "logit-lens", {}).find("heatmap of a single image"), std::string::npos);
  EXPECT_NE(refusal(image, "similarity", {}).find("heatmap of a single image"), std::string::npos);
  EXPECT_NE(refusal(image, "by feel", {}).find("grad-cam"), std::string::npos);
  RawImages larger = explanationImage(shrunk(findPublishedModel("deit_tiny")->config));
  EXPECT_NE(refusal(larger, "relevance", {}).find("24 x 24"), std::string::npos);
  std::stop_source stopped;
  stopped.request_stop();
  const auto late = imageHeatmap(*session, image, masks, "relevance", {}, {}, stopped.get_token());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Canceled);
}

TEST(ClassHeatmap, ProgressEndsWhereItSaysItWill) {
  const auto session = explanationSession(microVit());
  for (const ExplanationInfo& method : explanationMethods()) {
    if (!method.isClassHeatmap()) continue;
    Progress last;
    const auto heatmap =
        imageHeatmap(*session, explanationImage(microVit()), explanationMasks(*session),
                     method.name, {}, [&](const Progress& progress) { last = progress; });
    ASSERT_TRUE(heatmap) << method.name;
    EXPECT_GT(last.total, 0) << method.name;
    EXPECT_EQ(last.done, last.total) << method.name;
    if (method.name == "relevance") {
      EXPECT_EQ(last.total, 6);
    }
  }
}

TEST(TokenFeatures, AreBehindTheFinalNorm) {
  const auto session = explanationSession(microVit());
  const RawImages image = explanationImage(microVit());
  std::optional<NaiveVit> vit;
  withModel(*session, [&](Model& model) { vit.emplace(model); });
  const at::NoGradGuard noGrad;
  const auto naive = vit->pass(explanationTensor(image));
  for (int layer = -1; layer < vit->depth; ++layer) {
    const auto features =
        valueOrThrow(tokenFeatures(*session, image, explanationMasks(*session), layer));
    const at::Tensor expected = vit->finalNorm(naive.leaving[layer < 0 ? vit->depth - 1 : layer]);
    EXPECT_TRUE(features.normed);
    EXPECT_LT(wayDistance(features.values, expected), 1e-4);
    const Heatmap heatmap = valueOrThrow(tokenHeatmap("similarity", features, 5));
    const at::Tensor lengths = expected.norm(2, {-1});
    const at::Tensor cosines = expected.matmul(expected[5]) / (lengths * lengths[5]);
    EXPECT_LT(wayDistance(heatmap.values, cosines.slice(0, 1)), 1e-4);
    EXPECT_FLOAT_EQ(heatmap.values[4], 1);
  }
  EXPECT_FALSE(tokenHeatmap(
      "similarity", valueOrThrow(tokenFeatures(*session, image, explanationMasks(*session))), 10));
}

TEST(TokenFeatures, ExistForEveryModel) {
  for (const auto& [name, config] : pairings()) {
    const auto session = explanationSession(config);
    for (const int layer : {-1, 0}) {
      const auto features =
          tokenFeatures(*session, explanationImage(config), explanationMasks(*session), layer);
      ASSERT_TRUE(features) << name;
      EXPECT_EQ(static_cast<int>(features->values.size()),
                features->grid.tokens() * features->width);
    }
  }
}

/// The eigenvectors of a symmetric matrix by power iteration and deflation, in loops.
std::vector<std::vector<double>> naiveAxes(std::vector<std::vector<double>> matrix, int count) {
  const std::size_t n = matrix.size();
  std::vector<std::vector<double>> axes;
  for (int c = 0; c < count; ++c) {
    std::vector<double> v(n);
    for (std::size_t i = 0; i < n; ++i)
      v[i] = 1.0 + 0.37 * static_cast<double>((i * 7 + c) % 5);
    double value = 0;
    for (int round = 0; round < 20000; ++round) {
      std::vector<double> next(n, 0.0);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          next[i] += matrix[i][j] * v[j];
      value = 0;
      for (const double x : next)
        value += x * x;
      value = std::sqrt(value);
      for (std::size_t i = 0; i < n; ++i)
        v[i] = next[i] / value;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        matrix[i][j] -= value * v[i] * v[j];
    axes.push_back(v);
  }
  return axes;
}

TEST(FeatureColors, AreThePrincipalComponentsOfAllImagesTogether) {
  const ModelConfig config = microVit();
  const auto session = explanationSession(config);
  std::vector<TokenFeatures> images;
  for (const int seed : {1, 2})
    images.push_back(valueOrThrow(
        tokenFeatures(*session, explanationImage(config, seed), explanationMasks(*session))));
  const auto colors = valueOrThrow(explanationColors("feature-pca", images, false));
  const int width = images[0].width;
  std::vector<std::vector<double>> rows;
  for (const auto& image : images)
    for (int t = 1; t < image.grid.tokens(); ++t)
      rows.emplace_back(image.of(t), image.of(t) + width);
  for (int d = 0; d < width; ++d) {
    double mean = 0;
    for (const auto& row : rows)
      mean += row[d] / static_cast<double>(rows.size());
    for (auto& row : rows)
      row[d] -= mean;
  }
  std::vector<std::vector<double>> covariance(width, std::vector<double>(width, 0.0));
  for (const auto& row : rows)
    for (int i = 0; i < width; ++i)
      for (int j = 0; j < width; ++j)
        covariance[i][j] += row[i] * row[j] / static_cast<double>(rows.size());
  const auto axes = naiveAxes(covariance, 3);
  for (int c = 0; c < 3; ++c) {
    std::vector<double> scores;
    for (const auto& row : rows) {
      double score = 0;
      for (int d = 0; d < width; ++d)
        score += row[d] * axes[c][d];
      scores.push_back(score);
    }
    const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
    double same = 0, mirrored = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double share = (scores[i] - *low) / (*high - *low);
      const double color = colors.images[i / 9].colors[i % 9 * 3 + c];
      same = std::max(same, std::abs(color - share));
      mirrored = std::max(mirrored, std::abs(color - (1 - share)));
    }
    EXPECT_LT(std::min(same, mirrored), 1e-4) << c;
  }
  EXPECT_GE(colors.shares[0], colors.shares[1]);
  EXPECT_NE(colors.note.find("2 images together"), std::string::npos);
}

TEST(FeatureColors, LeaveTheBackgroundOut) {
  // A square of features apart from the rest, in the middle of a 4 × 4 image.
  TokenFeatures features;
  features.grid = {4, 4, 0};
  features.width = 3;
  for (int p = 0; p < 16; ++p) {
    const bool middle = p == 5 || p == 6 || p == 9 || p == 10;
    const auto own = static_cast<float>(p);
    features.values.insert(features.values.end(),
                           {middle ? -9.0f : 9.0f, 0.01f * own, 0.02f * own * own});
  }
  const auto colors = valueOrThrow(explanationColors("feature-pca", {features}, true));
  for (int p = 0; p < 16; ++p) {
    const bool middle = p == 5 || p == 6 || p == 9 || p == 10;
    EXPECT_EQ(std::isnan(colors.images[0].colors[p * 3]), !middle) << p;
  }
  EXPECT_FALSE(explanationColors("feature-pca", {}, false));
}

TEST(DepthPrediction, IsThatOfTruncatedModels) {
  const ModelConfig config = microVit();
  const auto session = explanationSession(config);
  const RawImages image = explanationImage(config);
  const auto depth =
      valueOrThrow(explanationCurve(*session, image, explanationMasks(*session), "logit-lens"));
  ASSERT_EQ(depth.probabilities.size(), 3u);
  EXPECT_EQ(depth.note, "");
  for (int kept = 1; kept <= 3; ++kept) {
    ModelConfig shorter = config;
    shorter.depth = kept;
    const auto truncated = makeModel(shorter, 0);
    truncated->eval();
    const at::NoGradGuard noGrad;
    withModel(*session, [&](Model& model) {
      for (const auto& [name, tensor] : truncated->state())
        for (const auto& [own, value] : model.state())
          if (own == name) at::Tensor(tensor).copy_(value);
    });
    const at::Tensor expected = truncated->forward(explanationTensor(image))[0].softmax(0);
    EXPECT_LT(wayDistance(depth.probabilities[kept - 1], expected), 1e-5) << kept;
    EXPECT_EQ(depth.top[kept - 1][0].index, expected.argmax().item<int>());
    EXPECT_NEAR(depth.ofClass(2)[kept - 1], expected[2].item<double>(), 1e-6);
  }
}

TEST(DepthPrediction, SaysWhereTheHeadDoesNotFit) {
  for (const auto& [name, config] : pairings()) {
    const auto session = explanationSession(config);
    const auto depth = explanationCurve(*session, explanationImage(config),
                                        explanationMasks(*session), "logit-lens");
    ASSERT_TRUE(depth) << name;
    EXPECT_FALSE(depth->probabilities.back().empty()) << name;
    bool missing = false;
    for (const auto& layer : depth->probabilities)
      missing = missing || layer.empty();
    EXPECT_EQ(missing, !depth->note.empty()) << name;
    if (config.staged()) {
      EXPECT_TRUE(missing) << name;
    }
  }
}

TEST(ClassNames, AreFoundByIndexAndByName) {
  ModelInfo info;
  info.experiment.model.classes = 3;
  EXPECT_EQ(*classFromText("2", info), 2);
  EXPECT_FALSE(classFromText("3", info));
  EXPECT_FALSE(classFromText("", info));
  EXPECT_FALSE(classFromText("goldfinch", info));
  info.classNames = {"brambling", "Goldfinch", "house finch"};
  EXPECT_EQ(*classFromText("goldfinch", info), 1);
  EXPECT_EQ(*classFromText("0", info), 0);
  const auto near = classFromText("goldfinsh", info);
  ASSERT_FALSE(near);
  EXPECT_NE(near.error().message.find("Goldfinch"), std::string::npos) << near.error().message;
  info.experiment.model.classes = 0;
  info.classNames.clear();
  EXPECT_NE(classFromText("0", info).error().message.find("no classifier"), std::string::npos);
}

}  // namespace
}  // namespace headlight
