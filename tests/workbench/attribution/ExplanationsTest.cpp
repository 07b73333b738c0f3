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

Heatmap heatOf(InferenceSession& session, const RawImages& picture, ExplanationMethod way,
               int layer = -1) {
  return valueOrThrow(
      classHeat(session, picture, wayMasks(session), way, {.classIndex = kClass, .layer = layer}));
}

TEST(ClassHeatmap, IsTheNaiveOneOnAVitWithAClassToken) {
  const auto session = waySession(microVit());
  const RawImages picture = wayPicture(microVit());
  withModel(*session, [&](Model& model) {
    NaiveVit vit(model);
    const at::Tensor image = wayTensor(picture);
    ASSERT_LT((vit.logits(image) - model.forward(image)[0]).abs().max().item<double>(), 1e-4);
  });
  NaiveVit vit = [&] {
    std::optional<NaiveVit> made;
    withModel(*session, [&](Model& model) { made.emplace(model); });
    return *made;
  }();
  const at::Tensor image = wayTensor(picture);
  const at::NoGradGuard noGrad;
  const auto factors = naiveFactors(vit, image);
  const Heatmap relevance = heatOf(*session, picture, ExplanationMethod::Relevance);
  EXPECT_LT(wayDistance(relevance.values, naiveRelevance(factors)[0].slice(0, 1)), 1e-4);
  EXPECT_EQ(relevance.layer, -1);
  EXPECT_EQ(relevance.className, "class 4");
  for (int l = 0; l < vit.depth; ++l) {
    const Heatmap one = heatOf(*session, picture, ExplanationMethod::AttentionGradient, l);
    if (factors[l][0].abs().max().item<double>() < 1e-9) continue;
    EXPECT_LT(wayDistance(one.values, factors[l][0].slice(0, 1)), 1e-4) << l;
  }
}

TEST(ClassHeatmap, IsTheNaiveOneOnAVitWithoutClassToken) {
  ModelConfig config = microVit();
  config.classToken = false;
  const auto session = waySession(config);
  const RawImages picture = wayPicture(config);
  std::optional<NaiveVit> vit;
  withModel(*session, [&](Model& model) { vit.emplace(model); });
  const at::NoGradGuard noGrad;
  const auto factors = naiveFactors(*vit, wayTensor(picture));
  const Heatmap relevance = heatOf(*session, picture, ExplanationMethod::Relevance);
  EXPECT_LT(wayDistance(relevance.values, naiveRelevance(factors).mean(0)), 1e-4);
  EXPECT_NE(relevance.note.find("mean over the patches"), std::string::npos);
}

TEST(ClassHeatmap, GradCamIsTheNaiveOne) {
  for (const bool classToken : {true, false}) {
    ModelConfig config = microVit();
    config.classToken = classToken;
    const auto session = waySession(config);
    const RawImages picture = wayPicture(config);
    std::optional<NaiveVit> vit;
    withModel(*session, [&](Model& model) { vit.emplace(model); });
    const at::NoGradGuard noGrad;
    const int last = vit->depth - 1, prefix = classToken ? 1 : 0;
    const at::Tensor entering = vit->pass(wayTensor(picture)).entering[last];
    const at::Tensor slopes =
        slopesByDifferences(*vit, wayTensor(picture), vit->addedToEntering, last, entering);
    const at::Tensor weights = slopes.slice(0, prefix).mean(0);
    const at::Tensor expected = entering.slice(0, prefix).matmul(weights).clamp_min(0);
    const Heatmap cam = heatOf(*session, picture, ExplanationMethod::GradCam);
    EXPECT_LT(wayDistance(cam.values, expected), 1e-4) << classToken;
    EXPECT_EQ(cam.layer, last);
  }
}

TEST(ClassHeatmap, TheKernelsAndThePlainFormsAgree) {
  for (const auto& [name, config] : pairings()) {
    const auto session = waySession(config);
    const RawImages picture = wayPicture(config);
    for (const ExplanationMethod way :
         {ExplanationMethod::Relevance, ExplanationMethod::AttentionGradient,
          ExplanationMethod::GradCam}) {
      const int layer = infoOf(way).ofLayer ? 0 : -1;  // the last stage may be one patch
      const Heatmap fused = heatOf(*session, picture, way, layer);
      Heatmap plain;
      {
        const PlainKernels wanted;
        plain = heatOf(*session, picture, way, layer);
      }
      const at::Tensor expected = at::tensor(plain.values, at::kDouble);
      EXPECT_LT(wayDistance(fused.values, expected), 2e-4) << name << " " << infoOf(way).name;
    }
  }
}

TEST(ClassHeatmap, MaskedHeadsAgreeToo) {
  ModelConfig config = microVit();
  for (const char* kernel : {"dense", "linear"}) {
    config.attention["kernel"] = kernel;
    const auto session = waySession(config);
    const RawImages picture = wayPicture(config);
    const MaskScheme masks = *makeMaskPreset("sch1", maskShapeOf(session->info().experiment.model));
    const auto relevance = [&] {
      return valueOrThrow(classHeat(*session, picture, masks, ExplanationMethod::Relevance,
                                    {.classIndex = kClass}));
    };
    const Heatmap fused = relevance();
    const PlainKernels plain;
    EXPECT_LT(wayDistance(fused.values, at::tensor(relevance().values, at::kDouble)), 1e-4)
        << kernel;
  }
}

/// The sum of the heat of a class, which has a number of 0 or more for every patch.
double checkedSum(const Result<Heatmap>& heat, const std::string& what) {
  EXPECT_TRUE(heat) << what << (heat ? "" : heat.error().text());
  if (!heat) return 0;
  EXPECT_EQ(static_cast<int>(heat->values.size()), heat->grid.patches()) << what;
  EXPECT_FALSE(heatTitle(*heat).empty() || heatMeaning(*heat).empty()) << what;
  double sum = 0;
  for (const float value : heat->values) {
    EXPECT_TRUE(std::isfinite(value) && value >= 0) << what;
    sum += value;
  }
  return sum;
}

TEST(ClassHeatmap, EveryMechanismHasItsHeats) {
  for (const auto& [name, config] : pairings()) {
    const auto session = waySession(config);
    const RawImages picture = wayPicture(config);
    for (const ExplanationMethod way :
         {ExplanationMethod::Relevance, ExplanationMethod::AttentionGradient,
          ExplanationMethod::GradCam}) {
      const int layer = infoOf(way).ofLayer ? 0 : -1;  // the last stage may be one patch
      double sum = 0;                                  // of all classes: nothing may speak for one
      for (int index = 0; index < config.classes; ++index)
        sum += checkedSum(classHeat(*session, picture, wayMasks(*session), way,
                                    {.classIndex = index, .layer = layer}),
                          name + " " + infoOf(way).name);
      EXPECT_GT(sum, 0) << name << " " << infoOf(way).name;
    }
  }
}

/// What ∂L/∂weights = ∂L/∂mixed · valuesᵀ stands on.
TEST(FollowedMaps, MixTheValuesByTheWeights) {
  class Keeping : public AttentionHook {
   public:
    bool wants(int) const override { return true; }
    void take(int, const at::Tensor& map) override { whole = map; }
    void follow(int, FollowedMap map) override { followed = std::move(map); }
    at::Tensor whole;
    FollowedMap followed;
  };
  for (const auto& [name, config] : pairings()) {
    const auto session = waySession(config);
    withModel(*session, [&, &name = name](Model& model) {
      const at::AutoGradMode withGradients(
          true);  // else some layers write over what they are given
      at::Tensor tokens = model.embed(wayTensor(wayPicture(model.config())));
      for (int l = 0; l < model.layers(); ++l) {
        Keeping tap;
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
  const auto session = waySession(microVit());
  const RawImages picture = wayPicture(microVit());
  const MaskScheme masks = wayMasks(*session);
  const auto refusal = [&](const RawImages& of, ExplanationMethod way, ExplanationOptions options) {
    const auto heat = classHeat(*session, of, masks, way, options);
    EXPECT_FALSE(heat);
    return heat ? std::string() : heat.error().text();
  };
  EXPECT_NE(refusal(picture, ExplanationMethod::Relevance, {.classIndex = 7}).find("no class 7"),
            std::string::npos);
  EXPECT_NE(refusal(picture, ExplanationMethod::GradCam, {.layer = 3}).find("no layer 3"),
            std::string::npos);
  EXPECT_NE(refusal(picture, ExplanationMethod::Depth, {}).find("not of a class"),
            std::string::npos);
  RawImages larger = wayPicture(shrunk(findPublishedModel("deit_tiny")->config));
  EXPECT_NE(refusal(larger, ExplanationMethod::Relevance, {}).find("24 x 24"), std::string::npos);
  std::stop_source stopped;
  stopped.request_stop();
  const auto late = classHeat(*session, picture, masks, ExplanationMethod::Relevance, {}, {},
                              stopped.get_token());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Canceled);
}

TEST(ClassHeatmap, ProgressEndsWhereItSaysItWill) {
  const auto session = waySession(microVit());
  Progress last;
  const auto heat =
      classHeat(*session, wayPicture(microVit()), wayMasks(*session), ExplanationMethod::Relevance,
                {}, [&](const Progress& progress) { last = progress; });
  ASSERT_TRUE(heat);
  EXPECT_EQ(last.done, last.total);
  EXPECT_EQ(last.total, 6);
}

TEST(TokenFeatures, AreBehindTheFinalNorm) {
  const auto session = waySession(microVit());
  const RawImages picture = wayPicture(microVit());
  std::optional<NaiveVit> vit;
  withModel(*session, [&](Model& model) { vit.emplace(model); });
  const at::NoGradGuard noGrad;
  const auto naive = vit->pass(wayTensor(picture));
  for (int layer = -1; layer < vit->depth; ++layer) {
    const auto features = valueOrThrow(tokenFeatures(*session, picture, wayMasks(*session), layer));
    const at::Tensor expected = vit->finalNorm(naive.leaving[layer < 0 ? vit->depth - 1 : layer]);
    EXPECT_TRUE(features.normed);
    EXPECT_LT(wayDistance(features.values, expected), 1e-4);
    const Heatmap heat = valueOrThrow(similarityHeat(features, 5));
    const at::Tensor lengths = expected.norm(2, {-1});
    const at::Tensor cosines = expected.matmul(expected[5]) / (lengths * lengths[5]);
    EXPECT_LT(wayDistance(heat.values, cosines.slice(0, 1)), 1e-4);
    EXPECT_FLOAT_EQ(heat.values[4], 1);
  }
  EXPECT_FALSE(
      similarityHeat(valueOrThrow(tokenFeatures(*session, picture, wayMasks(*session))), 10));
}

TEST(TokenFeatures, ExistForEveryModel) {
  for (const auto& [name, config] : pairings()) {
    const auto session = waySession(config);
    for (const int layer : {-1, 0}) {
      const auto features = tokenFeatures(*session, wayPicture(config), wayMasks(*session), layer);
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

TEST(FeatureColors, AreThePrincipalComponentsOfAllPicturesTogether) {
  const ModelConfig config = microVit();
  const auto session = waySession(config);
  std::vector<TokenFeatures> pictures;
  for (const int seed : {1, 2})
    pictures.push_back(
        valueOrThrow(tokenFeatures(*session, wayPicture(config, seed), wayMasks(*session))));
  const auto colors = valueOrThrow(featureColors(pictures, false));
  const int width = pictures[0].width;
  std::vector<std::vector<double>> rows;
  for (const auto& picture : pictures)
    for (int t = 1; t < picture.grid.tokens(); ++t)
      rows.emplace_back(picture.of(t), picture.of(t) + width);
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
      const double color = colors.pictures[i / 9].colors[i % 9 * 3 + c];
      same = std::max(same, std::abs(color - share));
      mirrored = std::max(mirrored, std::abs(color - (1 - share)));
    }
    EXPECT_LT(std::min(same, mirrored), 1e-4) << c;
  }
  EXPECT_GE(colors.shares[0], colors.shares[1]);
  EXPECT_NE(colors.note.find("2 pictures together"), std::string::npos);
}

TEST(FeatureColors, LeaveTheBackgroundOut) {
  // A square of features apart from the rest, in the middle of a 4 × 4 picture.
  TokenFeatures features;
  features.grid = {4, 4, 0};
  features.width = 3;
  for (int p = 0; p < 16; ++p) {
    const bool middle = p == 5 || p == 6 || p == 9 || p == 10;
    const auto own = static_cast<float>(p);
    features.values.insert(features.values.end(),
                           {middle ? -9.0f : 9.0f, 0.01f * own, 0.02f * own * own});
  }
  const auto colors = valueOrThrow(featureColors({features}, true));
  for (int p = 0; p < 16; ++p) {
    const bool middle = p == 5 || p == 6 || p == 9 || p == 10;
    EXPECT_EQ(std::isnan(colors.pictures[0].colors[p * 3]), !middle) << p;
  }
  EXPECT_FALSE(featureColors({}, false));
}

TEST(DepthPrediction, IsThatOfTruncatedModels) {
  const ModelConfig config = microVit();
  const auto session = waySession(config);
  const RawImages picture = wayPicture(config);
  const auto depth = valueOrThrow(predictionByDepth(*session, picture, wayMasks(*session)));
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
    const at::Tensor expected = truncated->forward(wayTensor(picture))[0].softmax(0);
    EXPECT_LT(wayDistance(depth.probabilities[kept - 1], expected), 1e-5) << kept;
    EXPECT_EQ(depth.top[kept - 1][0].index, expected.argmax().item<int>());
    EXPECT_NEAR(depth.ofClass(2)[kept - 1], expected[2].item<double>(), 1e-6);
  }
}

TEST(DepthPrediction, SaysWhereTheHeadDoesNotFit) {
  for (const auto& [name, config] : pairings()) {
    const auto session = waySession(config);
    const auto depth = predictionByDepth(*session, wayPicture(config), wayMasks(*session));
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
