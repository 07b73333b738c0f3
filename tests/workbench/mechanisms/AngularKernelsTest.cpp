// SPDX-License-Identifier: GPL-3.0-or-later

// The angular kernel and its series beside closed forms, and an image's angles and kernels beside
// queries and keys that are made of the weights by their names, pair by pair.

#include "core/workbench/mechanisms/AngularKernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/workbench/figures/AngularFigure.h"
#include "tests/workbench/ExplanationSupport.h"
#include "tests/workbench/NaiveVit.h"

namespace headlight {
namespace {

using PairRow = std::vector<double>;
using PairRows = std::vector<PairRow>;

double factorial(int n) {
  return std::tgamma(n + 1.0);
}

TEST(AngularKernel, IsItsTermsAndTheSeriesIsThatOfArcsin) {
  for (int degree = 0; degree <= 180; degree += 5) {
    const double angle = degree * M_PI / 180, cosine = std::cos(angle);
    EXPECT_NEAR(angularKernel(angle), 0.5 + std::asin(cosine) / M_PI, 1e-12);
    EXPECT_NEAR(angularLinear(angle), 0.5 + cosine / M_PI, 1e-15);
    EXPECT_NEAR(angularLinear(angle) + angularResidual(angle), angularKernel(angle), 1e-15);
    double sum = 0.5 + cosine / M_PI;
    EXPECT_NEAR(angularPartial(angle, 0), sum, 1e-15);
    for (int k = 1; k <= 8; ++k) {  // as Eq. 8 writes it
      const double coefficient =
          factorial(2 * k) / (std::pow(2.0, 2 * k) * factorial(k) * factorial(k) * (2 * k + 1));
      sum += coefficient * std::pow(cosine, 2 * k + 1) / M_PI;
      EXPECT_NEAR(angularPartial(angle, k), sum, 1e-13);
    }
  }
  EXPECT_NEAR(angularPartial(M_PI / 4, 60), angularKernel(M_PI / 4), 1e-9);
  EXPECT_GT(angularKernel(0) - angularPartial(0, 50), 0.01);  // slow at the end
}

double pairDot(const PairRow& a, const PairRow& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Queries and keys of a head, of what enters the attention and the weights by name.
struct NaivePairs {
  PairRows q, k;

  NaivePairs(const std::map<std::string, at::Tensor>& weights, int layer, int head, int heads,
             const at::Tensor& entering) {
    const std::string name = "blocks." + std::to_string(layer) + ".attn.qkv.";
    const at::Tensor w = weights.at(name + "weight"), b = weights.at(name + "bias");
    const std::int64_t tokens = entering.size(0), width = entering.size(1), each = width / heads;
    const auto x = entering.accessor<double, 2>();
    for (std::int64_t t = 0; t < tokens; ++t)
      for (PairRows* rows : {&q, &k}) {
        PairRow row;
        for (std::int64_t f = 0; f < each; ++f) {
          const std::int64_t line = (rows == &k ? width : 0) + head * each + f;
          double sum = b[line].item<double>();
          for (std::int64_t i = 0; i < width; ++i)
            sum += w[line][i].item<double>() * x[t][i];
          row.push_back(sum);
        }
        rows->push_back(row);
      }
  }

  double angle(std::size_t i, std::size_t j) const {
    const double cosine =
        pairDot(q[i], k[j]) / std::sqrt(pairDot(q[i], q[i]) * pairDot(k[j], k[j]));
    return std::acos(std::clamp(cosine, -1.0, 1.0));
  }
};

std::map<std::string, at::Tensor> namedWeights(const Model& model) {
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, tensor] : model.state())
    weights[name] = tensor.detach().to(at::kDouble);
  return weights;
}

/// A kernel's weight of a pair as its paper defines it.
double naiveKernel(const std::string& name, const NaivePairs& pairs, std::size_t i, std::size_t j) {
  const PairRows &q = pairs.q, &k = pairs.k;
  const std::size_t tokens = k.size(), width = q[0].size();
  double value = 0, sum = 0;
  if (name == "attention") {
    for (const PairRow& key : k)
      sum += std::exp(pairDot(q[i], key) / std::sqrt(double(width)));
    return std::exp(pairDot(q[i], k[j]) / std::sqrt(double(width))) / sum;
  }
  if (name == "softmax") {
    for (std::size_t f = 0; f < width; ++f) {
      double ofQuery = 0, ofKeys = 0;
      for (std::size_t g = 0; g < width; ++g)
        ofQuery += std::exp(q[i][g]);
      for (const PairRow& key : k)
        ofKeys += std::exp(key[f]);
      value += std::exp(q[i][f]) / ofQuery * std::exp(k[j][f]) / ofKeys;
    }
    return value;
  }
  if (name == "mean_centering") {
    for (std::size_t f = 0; f < width; ++f) {
      double mean = 0;
      for (const PairRow& key : k)
        mean += key[f] / double(tokens);
      value += q[i][f] * (k[j][f] - mean);
    }
    return (1 + value / std::sqrt(double(width))) / double(tokens);
  }
  const auto relu = [&](const PairRow& key) {
    double product = 0;
    for (std::size_t f = 0; f < width; ++f)
      product += std::max(q[i][f], 0.0) * std::max(key[f], 0.0);
    return product;
  };
  for (const PairRow& key : k)
    sum += relu(key);
  return name == "relu_s" ? relu(k[j]) : sum > 0 ? relu(k[j]) / sum : 0;
}

/// What a table has to say of one layer's head.
void expectTable(const AngleTable& table, const NaivePairs& pairs, std::size_t token) {
  const int bins = table.bins();
  const std::size_t tokens = pairs.q.size();
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> inBin(bins);
  double sum = 0;
  for (std::size_t i = 0; i < tokens; ++i)
    for (std::size_t j = 0; j < tokens; ++j) {
      const double angle = pairs.angle(i, j);
      sum += angle;
      inBin[std::min(bins - 1, int(angle / M_PI * bins))].emplace_back(i, j);
    }
  const double count = double(tokens * tokens);
  EXPECT_EQ(table.pairs, std::int64_t(tokens * tokens));
  EXPECT_NEAR(table.mean, sum / count, 1e-5);
  ASSERT_EQ(table.tokenAngles.size(), tokens);
  for (std::size_t j = 0; j < tokens; ++j)
    EXPECT_NEAR(table.tokenAngles[j], pairs.angle(token, j), 1e-4);
  int compared = 0;
  for (int b = 0; b < bins; ++b) {
    EXPECT_NEAR(table.share[b], double(inBin[b].size()) / count, 1e-12) << b;
    for (const KernelBins& kernel : table.kernels) {
      if (inBin[b].size() < 5) {
        EXPECT_TRUE(std::isnan(kernel.mean[b]));
        continue;
      }
      double mean = 0, squares = 0;
      for (const auto& [i, j] : inBin[b]) {
        const double value = naiveKernel(kernel.name, pairs, i, j);
        mean += value / double(inBin[b].size());
        squares += value * value / double(inBin[b].size());
      }
      EXPECT_NEAR(kernel.mean[b], mean, 1e-4 * (1 + std::abs(mean))) << kernel.name << b;
      EXPECT_NEAR(kernel.deviation[b], std::sqrt(std::max(0.0, squares - mean * mean)), 1e-3)
          << kernel.name << b;
      ++compared;
    }
  }
  EXPECT_GE(compared, 3 * 5);
}

TEST(ImageAngles, OfSoftmaxAttentionAreThoseOfItsWeights) {
  const auto session = explanationSession(microVit());
  const RawImages image = explanationImage(microVit());
  const ImagePairs pairs = valueOrThrow(loadPairs(*session, image, explanationMasks(*session)));
  ASSERT_EQ(pairs.layers.size(), 3u);
  EXPECT_TRUE(pairs.note.empty());
  withModel(*session, [&](Model& model) {
    NaiveVit vit(model);
    const auto pass = vit.pass(explanationTensor(image));
    for (const auto& [layer, head, token] : {std::array{0, 0, 0}, {2, 1, 7}}) {
      const NaivePairs naive(namedWeights(model), layer, head, vit.heads,
                             pass.entering[layer].contiguous());
      AngleOptions options{layer, head, token, 8};
      expectTable(valueOrThrow(angleTable(pairs, options)), naive, token);
    }
  });
}

/// Keeps what enters each attention.
class EnteringHook : public AttentionHook {
 public:
  bool wants(int) const override { return false; }
  void take(int, const at::Tensor&) override {}
  void enter(const at::Tensor& tokens) override { entering.push_back(tokens.detach()); }
  std::vector<at::Tensor> entering;
};

TEST(ImageAngles, OfLinearAngularAttentionAreThoseOfItsWeights) {
  const ModelConfig config = shrunk(findPublishedModel("castling_deit_tiny")->config);
  const auto session = explanationSession(config);
  const RawImages image = explanationImage(config);
  const ImagePairs pairs = valueOrThrow(loadPairs(*session, image, explanationMasks(*session)));
  withModel(*session, [&](Model& model) {
    EnteringHook tap;
    at::Tensor tokens = model.embed(explanationTensor(image));
    for (int l = 0; l < model.layers(); ++l)
      tokens = model.block(l, tokens, &tap);
    const NaivePairs naive(namedWeights(model), 1, 2, model.heads(1),
                           tap.entering[1][0].to(at::kDouble).contiguous());
    expectTable(valueOrThrow(angleTable(pairs, {1, 2, 4, 6})), naive, 4);
  });
}

TEST(ImageAngles, OfAllAreTheSumOfEach) {
  const auto session = explanationSession(microVit());
  const ImagePairs pairs =
      valueOrThrow(loadPairs(*session, explanationImage(microVit()), explanationMasks(*session)));
  const AngleTable all = valueOrThrow(angleTable(pairs, {-1, -1, 3, 12}));
  std::vector<double> shares(12);
  std::size_t keys = 0;
  int cells = 0;
  for (const LayerPairs& layer : pairs.layers)
    for (int h = 0; h < layer.heads; ++h, ++cells) {
      const AngleTable one = valueOrThrow(angleTable(pairs, {layer.layer, h, 3, 12}));
      keys += one.tokenAngles.size();
      for (int b = 0; b < 12; ++b)
        shares[b] += one.share[b];
    }
  EXPECT_EQ(all.tokenAngles.size(), keys);
  for (int b = 0; b < 12; ++b)
    EXPECT_NEAR(all.share[b], shares[b] / cells, 1e-12);
  EXPECT_EQ(all.subject, "all layers and heads");
}

TEST(ImageAngles, AnotherTokenIsToldApartAtOnce) {
  const auto session = explanationSession(microVit());
  const ImagePairs pairs =
      valueOrThrow(loadPairs(*session, explanationImage(microVit()), explanationMasks(*session)));
  const AngleTable first = valueOrThrow(angleTable(pairs, {1, 0, 2, 20}));
  const AngleTable moved = valueOrThrow(withToken(first, pairs, {1, 0, 6, 20}));
  const AngleTable fresh = valueOrThrow(angleTable(pairs, {1, 0, 6, 20}));
  EXPECT_EQ(moved.tokenAngles, fresh.tokenAngles);
  EXPECT_EQ(moved.tokenShare, fresh.tokenShare);
  EXPECT_EQ(moved.tokenText, "patch (1, 2)");
  EXPECT_NE(moved.tokenAngles, first.tokenAngles);
}

TEST(ImageAngles, WindowsAndPoolingAreSaid) {
  for (const auto& [name, note] :
       {std::pair{"swin_tiny_patch4_window7_224", "pairs within windows"},
        {"mvitv2_tiny", "queries or keys are pooled"},
        {"cait_xxs24_224", "3 of 5 layers"}}) {
    const auto* published = findPublishedModel(name);
    ASSERT_TRUE(published) << name;
    const ModelConfig config = shrunk(published->config);
    const auto session = explanationSession(config);
    const ImagePairs pairs =
        valueOrThrow(loadPairs(*session, explanationImage(config), explanationMasks(*session)));
    EXPECT_NE(pairs.note.find(note), std::string::npos) << name << ": " << pairs.note;
    const AngleTable table = valueOrThrow(angleTable(pairs, {-1, -1, 0, 10}));
    EXPECT_NEAR(std::accumulate(table.share.begin(), table.share.end(), 0.0), 1, 1e-9);
    const AngleTable first = valueOrThrow(angleTable(pairs, {0, -1, 0, 10}));
    if (pairs.layers[0].groups == 1) continue;
    EXPECT_TRUE(first.tokenAngles.empty());
    EXPECT_NE(first.tokenNote.find("no layer"), std::string::npos);
  }
}

TEST(ImageAngles, WhatCannotBeIsRefused) {
  const ModelConfig aft = shrunk(findPublishedModel("aft_full_tiny")->config);
  const auto without = explanationSession(aft);
  const auto none = loadPairs(*without, explanationImage(aft), explanationMasks(*without));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("AFT"), std::string::npos);
  const auto session = explanationSession(microVit());
  const ImagePairs pairs =
      valueOrThrow(loadPairs(*session, explanationImage(microVit()), explanationMasks(*session)));
  for (const AngleOptions& options :
       {AngleOptions{3, -1, -1, 8}, {0, 3, -1, 8}, {0, 0, 99, 8}, {0, 0, -1, 3}})
    EXPECT_EQ(angleTable(pairs, options).error().code, ErrorCode::InvalidArgument);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(angleTable(pairs, {}, stop.get_token()).error().code, ErrorCode::Canceled);
  EXPECT_FALSE(loadPairs(*session, {1, 8, 8, std::vector<float>(192)}, explanationMasks(*session)));
}

TEST(AngularFigure, NumbersAreThoseOfTheTable) {
  const auto session = explanationSession(microVit());
  const ImagePairs pairs =
      valueOrThrow(loadPairs(*session, explanationImage(microVit()), explanationMasks(*session)));
  const AngleTable table = valueOrThrow(angleTable(pairs, {-1, -1, 3, 6}));
  const AnglePanel kernels = kernelsPanel(&table);
  ASSERT_EQ(kernels.curves.size(), 7u);
  for (std::size_t c = 0; c < kernels.curves.size(); ++c) {
    double largest = 0;
    for (const double value : kernels.curves[c].values)
      largest = std::max(largest, std::abs(value));
    EXPECT_NEAR(largest, 1, 1e-12) << kernels.curves[c].name;
  }
  EXPECT_NEAR(kernels.scales[0], 0.5 + 1 / M_PI, 1e-12);
  EXPECT_EQ(kernelsPanel(nullptr).curves.size(), 2u);
  const std::string csv = anglesCsv(2, &table);
  EXPECT_EQ(csv.substr(0, 75),
            "panel,line,degrees,value,deviation,scale\nexpansion,\"angular kernel\",0,1,,1\n");
  EXPECT_NE(csv.find("picture,\"keys of the patch (0, 2)\","), std::string::npos);
  const Drawing drawing = anglesDrawing(2, &table, "noise");
  EXPECT_GT(drawing.height, 1200);
  EXPECT_LT(anglesDrawing(2, nullptr, "").height, 900);
}

}  // namespace
}  // namespace headlight
