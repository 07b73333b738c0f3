// SPDX-License-Identifier: GPL-3.0-or-later

// From queries to classes of pixels, against loops in double precision; who owns a pixel; measures
// of a table of pixels.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/analysis/Rollout.h"
#include "core/config/DatasetKinds.h"
#include "core/models/backbones/Segmenter.h"
#include "core/workbench/evaluation/MaskEffect.h"
#include "core/workbench/evaluation/SchemeScores.h"
#include "core/workbench/segmentation/SegmentReport.h"
#include "core/workbench/segmentation/SegmenterEvaluation.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/SegmenterAnswer.h"
#include "tests/models/segmentation/SegmenterSupport.h"

namespace headlight {
namespace {

constexpr int kQueries = 5, kClasses = 3, kMaskSide = 4, kInput = 16;

SegmentScores drawnScores() {
  at::manual_seed(7);
  SegmentScores scores;
  for (int prediction = 0; prediction < 2; ++prediction) {
    scores.classes.push_back(2 * at::randn({2, kQueries, kClasses + 1}));
    scores.masks.push_back(3 * at::randn({2, kQueries, kMaskSide, kMaskSide}));
  }
  return scores;
}

/// Bilinear, half-pixel centers, edges repeated.
double sampledAt(const std::vector<double>& plane, int height, int width, double y, double x) {
  y = std::clamp(y, 0.0, height - 1.0), x = std::clamp(x, 0.0, width - 1.0);
  const int top = std::min(static_cast<int>(y), height - 1),
            left = std::min(static_cast<int>(x), width - 1);
  const int bottom = std::min(top + 1, height - 1), right = std::min(left + 1, width - 1);
  const double down = y - top, across = x - left;
  const auto at = [&](int row, int col) {
    return plane[static_cast<std::size_t>(row * width + col)];
  };
  return (1 - down) * ((1 - across) * at(top, left) + across * at(top, right)) +
         down * ((1 - across) * at(bottom, left) + across * at(bottom, right));
}

std::vector<double> naiveResized(const std::vector<double>& plane, int height, int width,
                                 int toHeight, int toWidth) {
  std::vector<double> resized;
  for (int y = 0; y < toHeight; ++y)
    for (int x = 0; x < toWidth; ++x)
      resized.push_back(sampledAt(plane, height, width, (y + 0.5) * height / toHeight - 0.5,
                                  (x + 0.5) * width / toWidth - 0.5));
  return resized;
}

/// [K][pixels of the input]: the sum over queries of softmax(class) · σ(mask).
std::vector<std::vector<double>> naiveScores(const at::Tensor& classes, const at::Tensor& masks) {
  std::vector<std::vector<double>> scores(kClasses, std::vector<double>(kInput * kInput, 0));
  for (int q = 0; q < kQueries; ++q) {
    double sum = 0;
    for (int k = 0; k <= kClasses; ++k)
      sum += std::exp(classes[q][k].item<double>());
    std::vector<double> mask;
    for (int i = 0; i < kMaskSide * kMaskSide; ++i)
      mask.push_back(masks[q].flatten()[i].item<double>());
    mask = naiveResized(mask, kMaskSide, kMaskSide, kInput, kInput);
    for (int k = 0; k < kClasses; ++k)
      for (std::size_t i = 0; i < mask.size(); ++i)
        scores[static_cast<std::size_t>(k)][i] +=
            std::exp(classes[q][k].item<double>()) / sum / (1 + std::exp(-mask[i]));
  }
  return scores;
}

TEST(SegmenterAnswer, TheBestClassOfEveryPixelIsThatOfTheResizedScores) {
  const SegmentScores scores = drawnScores();
  constexpr int kWidth = 23, kHeight = 19;
  const SegmentPlace place = segmentPlace(kWidth, kHeight, {0, 0, kWidth, kHeight}, 0);
  const FoundSegments found =
      segmentsOf(scores, 1, {kInput, kInput, kInput, kInput}, place, {"a", "b", "c"});
  auto naive = naiveScores(scores.classes.back()[1], scores.masks.back()[1]);
  for (auto& plane : naive)
    plane = naiveResized(plane, kInput, kInput, kHeight, kWidth);
  ASSERT_EQ(found.image.classes.size(), std::size_t{kWidth * kHeight});
  std::vector<double> parts(kClasses, 0), counts(kClasses, 0);
  for (std::size_t i = 0; i < found.image.classes.size(); ++i) {
    int best = 0;
    double total = 0;
    for (int k = 0; k < kClasses; ++k) {
      const double score = naive[static_cast<std::size_t>(k)][i];
      total += score;
      if (score > naive[static_cast<std::size_t>(best)][i]) best = k;
    }
    EXPECT_EQ(int{found.image.classes[i]}, best) << i;
    parts[static_cast<std::size_t>(best)] += naive[static_cast<std::size_t>(best)][i] / total;
    counts[static_cast<std::size_t>(best)] += 1;
  }
  double shares = 0;
  for (const SegmentClass& segment : found.classes) {
    const auto k = static_cast<std::size_t>(segment.index);
    EXPECT_NEAR(segment.share, counts[k] / (kWidth * kHeight), 1e-12);
    EXPECT_NEAR(segment.probability, parts[k] / counts[k], 1e-5);
    shares += segment.share;
  }
  EXPECT_NEAR(shares, 1, 1e-12);
}

TEST(SegmenterAnswer, WhatTheModelDidNotSeeHasNoClass) {
  const SegmentPlace place = segmentPlace(20, 10, {5, 0, 10, 10}, 0);
  const FoundSegments found =
      segmentsOf(drawnScores(), 0, {kInput, kInput, kInput, kInput}, place, {});
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 20; ++x)
      EXPECT_EQ(found.image.classes[static_cast<std::size_t>(y * 20 + x)] == kIgnoredClass,
                x < 5 || x >= 15);
  EXPECT_EQ(queryAt(found, 0.1, 0.5), -1);
  EXPECT_EQ(classAt(found.image, 1.0, 0.5), kIgnoredClass);
  EXPECT_GE(queryAt(found, 0.5, 0.5), 0);
}

TEST(SegmenterAnswer, LargeImagesAreReducedInProportion) {
  const SegmentPlace place = segmentPlace(4000, 2000, {1000, 0, 2000, 2000}, 80000);
  EXPECT_EQ(place.imageWidth, 400);
  EXPECT_EQ(place.imageHeight, 200);
  EXPECT_EQ(place.left, 100);
  EXPECT_EQ(place.width, 200);
}

TEST(SegmenterAnswer, AQueryOwnsAPixelByClassTimesMask) {
  FoundSegments found;
  found.image = {2, 1, {0, 1}};
  found.maskRows = 1, found.maskCols = 2;
  found.queries = {{0, "a", 0.9f, {0.9f, 0.1f}, {200, 255}},
                   {0, "a", 0.8f, {0.8f, 0.05f}, {255, 255}},
                   {1, "b", 0.5f, {0.2f, 0.5f}, {255, 60}}};
  EXPECT_EQ(queryAt(found, 0.25, 0.5), 1);  // 0.8 · 255 > 0.9 · 200
  EXPECT_EQ(queryAt(found, 0.75, 0.5), 2);  // 0.5 · 60 > 0.1 · 255
}

/// Maps of two layers, of 2 heads, 3 queries, and 4 and 16 cells; what keepDecoderMaps gets of them.
struct DrawnMaps {
  std::vector<at::Tensor> heads;  ///< each [2, 2, 3, T]
  DecoderMaps means;
};

DrawnMaps drawnDecoderMaps() {
  at::manual_seed(3);
  DrawnMaps drawn;
  for (const int side : {2, 4}) {
    drawn.heads.push_back(at::randn({2, 2, 3, side * side}).softmax(-1));
    drawn.means.cross.push_back(drawn.heads.back().mean(1, /*keepdim=*/true));
    drawn.means.grids.push_back({side, side, 0});
  }
  return drawn;
}

void expectMeanOfHeads(const std::vector<float>& map, const at::Tensor& heads, int query) {
  ASSERT_EQ(static_cast<std::int64_t>(map.size()), heads.size(3));
  for (std::size_t t = 0; t < map.size(); ++t) {
    double sum = 0;
    for (int head = 0; head < 2; ++head)
      sum += heads[1][head][query][static_cast<std::int64_t>(t)].item<double>();
    EXPECT_NEAR(map[t], sum / 2, 1e-6);
  }
}

TEST(DecoderMaps, OfEveryQueryAreTheMeansOfTheHeads) {
  const DrawnMaps drawn = drawnDecoderMaps();
  FoundSegments found;
  found.queries.resize(3);
  found.maskRows = found.maskCols = 16;
  keepDecoderMaps(drawn.means, 1, -1, found);
  ASSERT_EQ(found.decoderLayers, 2);
  for (int layer = 0; layer < 2; ++layer)
    for (int query = 0; query < 3; ++query)
      expectMeanOfHeads(decoderMap(found, query, layer),
                        drawn.heads[static_cast<std::size_t>(layer)], query);
  EXPECT_TRUE(decoderMap(found, 3, 0).empty());
  EXPECT_TRUE(decoderMap(found, -1, 0).empty());
  EXPECT_TRUE(decoderMap(found, 0, 2).empty());
  EXPECT_EQ(decoderMapTitle(found, 2, 1),
            "query 2 in decoder layer 1 · mean of heads · level of stride 16");
  EXPECT_NE(decoderMapMeaning(1).find("after decoder layer 0"), std::string::npos);
}

TEST(DecoderMaps, OfLargeGridsAreThoseOfTheAskedQuery) {
  const DrawnMaps drawn = drawnDecoderMaps();
  constexpr std::int64_t kAll = 3 * (4 + 16) * 4;
  const auto kept = [&](int query, std::int64_t most) {
    FoundSegments found;
    found.queries.resize(3);
    keepDecoderMaps(drawn.means, 1, query, found, most);
    return found;
  };
  EXPECT_EQ(kept(1, kAll).decoderQuery, -1);
  const FoundSegments one = kept(1, kAll - 1);
  EXPECT_EQ(one.decoderQuery, 1);
  expectMeanOfHeads(decoderMap(one, 1, 1), drawn.heads[1], 1);
  EXPECT_TRUE(decoderMap(one, 0, 1).empty());
  const FoundSegments none = kept(-1, kAll - 1);
  EXPECT_TRUE(none.decoder.empty());
  EXPECT_EQ(none.decoderLayers, 2);
}

TEST(DecoderMaps, OfASessionAreThoseOfTheDecoder) {
  Experiment experiment;
  experiment.model = microSegmenter();
  experiment.device = "cpu";
  experiment.threads = 1;
  const auto session = valueOrThrow(InferenceSession::create(experiment));
  std::vector<std::uint8_t> pixels(64 * 64 * 3);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(i * i % 251);
  const Image image{64, 64, std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
  const MaskScheme masks =
      valueOrThrow(resolveMasks(experiment.masks, makeMaskShape(experiment.model)));
  const InferenceResult inference = valueOrThrow(session->infer(image, masks));
  const FoundSegments& found = *inference.segments;
  EXPECT_TRUE(
      valueOrThrow(session->infer(image, masks, {.maps = false})).segments->decoder.empty());
  withModel(*session, [&](Model& model) {
    const auto preprocessing = makePreprocessing(experiment.model);
    std::vector<float> values = preprocess(image, preprocessing);
    at::Tensor tokens = model.embed(at::from_blob(values.data(), {1, 3, 64, 64}));
    for (int layer = 0; layer < model.layers(); ++layer)
      tokens = model.block(layer, tokens, nullptr);
    DecoderMaps maps;  // of all heads
    dynamic_cast<Segmenter&>(model).findSegments(tokens, &maps);
    ASSERT_EQ(found.decoder.size(), maps.cross.size());
    for (std::size_t layer = 0; layer < maps.cross.size(); ++layer)
      for (int query = 0; query < static_cast<int>(found.queries.size()); ++query) {
        const auto map = decoderMap(found, query, static_cast<int>(layer));
        ASSERT_EQ(static_cast<int>(map.size()), maps.grids[layer].patches());
        EXPECT_NEAR(std::accumulate(map.begin(), map.end(), 0.0), 1, 1e-5);
        for (std::size_t t = 0; t < map.size(); ++t) {
          const at::Tensor heads = maps.cross[layer][0].select(1, query);  // [heads, T]
          EXPECT_NEAR(map[t], heads.select(1, static_cast<std::int64_t>(t)).mean().item<double>(),
                      1e-6);
        }
      }
  });
}

/// The labels of its data would all be 0.
TEST(SegmenterAccuracy, OfImagesIsNotMeasured) {
  Experiment experiment;
  experiment.model = microSegmenter();
  experiment.device = "cpu";
  experiment.threads = 1;
  const auto session = valueOrThrow(InferenceSession::create(experiment));
  ImageSample sample;
  sample.data.dataset = kTextureSegments;
  sample.samples = 2;
  const auto results =
      evaluateSchemes(*session, sample, {MaskScheme(makeMaskShape(experiment.model))});
  ASSERT_FALSE(results);
  EXPECT_NE(results.error().message.find("mIoU"), std::string::npos) << results.error().text();
}

TEST(SegmentReport, MeasuresAreThoseOfTheTable) {
  SegmentCounts counts(3);
  counts.add({4, 2, {0, 0, 0, 1, 1, 255, 0, 0}}, {4, 2, {0, 0, 1, 1, 2, 0, 255, 0}});
  const SegmentReport report = measureSegments(counts, {"a", "b"});
  EXPECT_EQ(report.pixels, 7);
  EXPECT_EQ(report.classes[0].truth, 5);
  EXPECT_EQ(report.classes[0].predicted, 3);
  EXPECT_DOUBLE_EQ(report.classes[0].iou, 3.0 / 5);
  EXPECT_DOUBLE_EQ(report.classes[1].iou, 1.0 / 3);
  EXPECT_DOUBLE_EQ(report.classes[2].iou, 0);  // predicted, and not there
  EXPECT_EQ(report.classes[2].name, "class 2");
  EXPECT_EQ(report.classes[2].accuracy, kNoAgreement);
  EXPECT_DOUBLE_EQ(report.miou, (3.0 / 5 + 1.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(report.macc, (3.0 / 5 + 1.0 / 2) / 2);
  EXPECT_DOUBLE_EQ(report.pacc, 4.0 / 7);
}

TEST(SegmentReport, NothingKnownHasNoMeasures) {
  SegmentCounts counts(2);
  counts.add({1, 1, {kIgnoredClass}}, {1, 1, {0}});
  const SegmentReport report = measureSegments(counts, {});
  EXPECT_EQ(report.miou, kNoAgreement);
  EXPECT_EQ(report.pacc, kNoAgreement);
}

/// 60 × 40 pixels at a short side of 64: 96 × 64.
TEST(SegmentsInProportion, AreOfTheImagesOwnPixelsAndMapsOnItsGrid) {
  Experiment experiment;
  experiment.model = microSegmenter();
  experiment.device = "cpu";
  experiment.threads = 1;
  const auto session = valueOrThrow(InferenceSession::create(experiment));
  const MaskScheme masks(makeMaskShape(experiment.model));
  const auto imageOf = [](int width, int height) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width * height * 3));
    for (std::size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = static_cast<std::uint8_t>(i * i % 251);
    return Image{width, height,
                 std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
  };
  const Image wide = imageOf(60, 40), odd = imageOf(40, 50);
  const InferenceResult seen = valueOrThrow(session->infer(wide, masks));
  EXPECT_EQ(seen.segments->image.width, 60);
  EXPECT_EQ(seen.segments->image.height, 40);
  EXPECT_EQ(seen.view.width, 96);
  ASSERT_EQ(seen.maps.layers.size(), 2u);
  EXPECT_EQ(seen.maps.layers[0].grid.rows, 4);
  EXPECT_EQ(seen.maps.layers[0].grid.cols, 6);
  EXPECT_EQ(seen.maps.layers[0].values->size(), std::size_t{3 * 24 * 24});
  EXPECT_TRUE(rollout(seen.maps, {}).ok());
  // 64 × 80, padded to 96 rows: nothing of the padding is in the image.
  const InferenceResult padded = valueOrThrow(session->infer(odd, masks));
  EXPECT_EQ(padded.segments->image.classes.size(), std::size_t{40 * 50});
  EXPECT_EQ(padded.segments->maskRows, 24);
  EXPECT_DOUBLE_EQ(padded.segments->seen[3], 96.0 / 80);
  EXPECT_EQ(std::count(padded.segments->image.classes.begin(), padded.segments->image.classes.end(),
                       kIgnoredClass),
            0);
  EXPECT_EQ(valueOrThrow(session->infer(wide, masks)).logits, seen.logits);
}

/// The window's numbers are evaluate's.
TEST(SchemeScores, OfASegmenterAreThoseOfItsEvaluation) {
  Experiment experiment;
  experiment.model = microSegmenter();
  experiment.model.classes = 10;
  experiment.device = "cpu";
  experiment.threads = 1;
  const auto session = valueOrThrow(InferenceSession::create(experiment));
  ImageSample sample;
  sample.data.dataset = kTextureSegments;
  sample.data.validationSamples = 4;
  sample.samples = 3;
  sample.matching = {"index", ""};
  const MaskScheme masks(makeMaskShape(experiment.model));
  EXPECT_TRUE(measuresScores(session->info()));
  const auto scored = valueOrThrow(scoreSchemes(*session, sample, {masks, masks}));
  ASSERT_EQ(scored.size(), 2u);
  ASSERT_TRUE(scored[0].scores);
  const SegmentReport report = valueOrThrow(
      evaluateSegmenter(*session, masks, {sample.data, sample.samples, sample.matching, {}}));
  EXPECT_EQ(scored[0].scores->images, 3);
  EXPECT_NEAR(*scored[0].scores->miou, report.miou, 1e-6);
  EXPECT_EQ(qualityOf(scored[0]), *scored[0].scores->miou);
  EXPECT_EQ(*scored[1].scores->miou, *scored[0].scores->miou);
  EXPECT_EQ(valueOrThrow(maskEffect(scored[0], scored[1])).top1Rise, 0);
}

}  // namespace
}  // namespace headlight
