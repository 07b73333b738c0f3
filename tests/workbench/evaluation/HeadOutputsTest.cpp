// SPDX-License-Identifier: GPL-3.0-or-later

// Head metrics of sinks, values and outputs beside plain loops over a ViT in double precision;
// where a mechanism does not say them.

#include "core/workbench/evaluation/HeadOutputs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/analysis/HeadStatistics.h"
#include "core/workbench/evaluation/HeadMetrics.h"
#include "tests/workbench/interventions/InterventionSupport.h"

namespace headlight {
namespace {

using M = HeadMetric;

/// Pixels that no two images share.
Image noisyPixels(int side, int seed) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  unsigned state = static_cast<unsigned>(seed) * 2654435761u + 1;
  for (int i = 0; i < side * side * 3; ++i) {
    state = state * 1664525u + 1013904223u;
    pixels->push_back(static_cast<std::uint8_t>(state >> 24));
  }
  return {side, side, pixels};
}

double lengthOf(const at::Tensor& vector) {
  double sum = 0;
  for (std::int64_t i = 0; i < vector.size(0); ++i)
    sum += std::pow(vector[i].item<double>(), 2);
  return std::sqrt(sum);
}

/// [H, T, e] → of one head: the lower of the two lengths in the middle.
double medianLength(const at::Tensor& values) {
  std::vector<double> lengths;
  for (std::int64_t t = 0; t < values.size(0); ++t)
    lengths.push_back(lengthOf(values[t]));
  std::sort(lengths.begin(), lengths.end());
  return lengths[(lengths.size() - 1) / 2];
}

/// By the eigenvalues of XᵀX.
double rankOf(const at::Tensor& outputs) {
  const at::Tensor squares = at::linalg_eigvalsh(outputs.t().matmul(outputs), "L").clamp_min(0);
  const at::Tensor sizes = squares.sqrt() / squares.sqrt().sum();
  double entropy = 0;
  for (std::int64_t i = 0; i < sizes.size(0); ++i)
    if (const double share = sizes[i].item<double>(); share > 1e-12)
      entropy -= share * std::log(share);
  return std::exp(entropy);
}

/// Of a map [T, T] whose first token is no patch.
double largestShare(const at::Tensor& map) {
  double most = 0;
  for (std::int64_t k = 0; k < map.size(1); ++k) {
    double received = 0;
    for (std::int64_t q = 1; q < map.size(0); ++q)
      received += map[q][k].item<double>();
    most = std::max(most, received / static_cast<double>(map.size(0) - 1));
  }
  return most;
}

double naiveMetric(const NaiveVit& vit, const at::Tensor& image, M measure, int layer, int head) {
  if (measure == M::Sink) return largestShare(vit.pass(image).maps[layer][head]);
  const NaiveParts parts = naiveParts(vit, image);
  if (measure == M::ValueNorm) return medianLength(parts.at({"values", layer})[head]);
  return rankOf(parts.at({"heads", layer}).slice(1, 8 * head, 8 * head + 8));
}

TEST(HeadOutputs, OfAnImageAreTheNaiveNumbers) {
  const at::NoGradGuard noGrad;
  const InterventionModel model;
  const NaiveVit vit = model.naive();
  const Image image = noisyPixels(24, 4);
  const at::Tensor seen = explanationTensor(rawImage(model.session->info(), image));
  for (const M measure : {M::Sink, M::ValueNorm, M::OutputRank}) {
    const auto found = measureHeadMetrics(*model.session, image, model.masks, measure);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->images, 1);
    EXPECT_EQ(found->note, "");
    for (int l = 0; l < 3; ++l)
      for (int h = 0; h < 3; ++h) {
        const double naive = naiveMetric(vit, seen, measure, l, h);
        EXPECT_NEAR(found->values[l][h], naive, 1e-3 * naive) << findInfo(measure).name;
      }
    EXPECT_EQ(std::isfinite(found->chance[0]), measure == M::Sink);
  }
}

TEST(HeadOutputs, OverImagesAreMeansWithDeviations) {
  const InterventionModel model;
  const std::vector<M> measures{M::OutputRank, M::Sink, M::ValueNorm};
  ImageSource feed;
  feed.count = 3;
  feed.read = [](std::int64_t i) -> Result<SourceImage> {
    return SourceImage{noisyPixels(24, static_cast<int>(i) + 1)};
  };
  const auto found = valueOrThrow(measureHeadMetrics(*model.session, feed, model.masks, measures));
  for (std::size_t m = 0; m < measures.size(); ++m) {
    double sum = 0, squares = 0;
    for (int i = 0; i < 3; ++i) {
      const auto one = valueOrThrow(
          measureHeadMetrics(*model.session, noisyPixels(24, i + 1), model.masks, measures[m]));
      sum += one.values[1][2];
      squares += one.values[1][2] * one.values[1][2];
    }
    EXPECT_NEAR(found.values[m].values[1][2], sum / 3, 1e-5 * sum);
    EXPECT_NEAR(found.values[m].deviations[1][2], std::sqrt((squares - sum * sum / 3) / 2), 1e-4);
    EXPECT_EQ(found.values[m].images, 3);
  }
}

/// A model without a softmax matrix over values says so, and has a number for what it does say.
TEST(HeadOutputs, WhereAMechanismDoesNotSayThereIsNoValue) {
  ModelConfig config = shrunk(findPublishedModel("swin_tiny_patch4_window7_224")->config);
  const auto session = explanationSession(config);
  const auto values = valueOrThrow(
      measureHeadMetrics(*session, noisyPixels(32, 1), explanationMasks(*session), M::ValueNorm));
  EXPECT_TRUE(std::isnan(values.values[0][0]));
  EXPECT_NE(values.note.find("not weights times values"), std::string::npos) << values.note;
  const auto sinks = valueOrThrow(
      measureHeadMetrics(*session, noisyPixels(32, 1), explanationMasks(*session), M::Sink));
  EXPECT_GT(sinks.values[0][0], 0);
  EXPECT_LE(sinks.values[0][0], 1 + 1e-6);
}

TEST(HeadOutputs, AFileOfMapsHasSinksAlone) {
  ModelSource source;
  source.model =
      (std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "maps_from_hook.safetensors").string();
  const auto session = valueOrThrow(InferenceSession::open(source));
  const MaskScheme masks = explanationMasks(*session);
  const auto found = valueOrThrow(
      measureHeadMetrics(*session, feedOfMaps(*session), masks, {M::Sink, M::OutputRank}));
  EXPECT_GT(found.values[0].values[0][0], 0);
  EXPECT_TRUE(std::isnan(found.values[1].values[0][0]));
  EXPECT_NE(found.values[1].note.find("maps alone"), std::string::npos) << found.values[1].note;
}

TEST(HeadOutputs, ASinkCountsSignedMapsBySizeAndPatchesAlone) {
  // A class token and two patches; the class token's row counts for nothing.
  const auto values =
      std::make_shared<const std::vector<float>>(std::vector<float>{9, 0, 0, 1, -3, 0, 0, 2, 2});
  const LayerMaps maps{1, Grid{1, 2, 1}, values};
  EXPECT_FLOAT_EQ(attentionSinks(maps)[0], (0.75f + 0.5f) / 2);
  EXPECT_DOUBLE_EQ(uniformSink(Grid{1, 2, 1}), 1.0 / 3);
}

TEST(HeadOutputs, NeedAModel) {
  EXPECT_FALSE(computeHeadValues(InferenceResult{}, ModelInfo{}, M::OutputRank));
  EXPECT_TRUE(headConditionFromText("output_rank<2"));
  EXPECT_TRUE(std::isnan(medianValueNorms({}, 2)[1]));
  EXPECT_TRUE(std::isnan(outputRanks(at::zeros({3, 4}), 2)[0]));
}

}  // namespace
}  // namespace headlight
