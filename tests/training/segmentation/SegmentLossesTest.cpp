// SPDX-License-Identifier: GPL-3.0-or-later

// Costs of matching and losses of a segmenter beside naive ones, and gradients beside differences.

#include "core/training/segmentation/SegmentLosses.h"

#include <gtest/gtest.h>

#include "core/base/Result.h"
#include "tests/training/segmentation/NaiveSegments.h"
#include "tests/training/segmentation/TinySegmenter.h"

namespace headlight {
namespace {

constexpr std::int64_t kPredictions = 3;

SegmentScores drawnSegmentScores(std::int64_t images, std::int64_t queries) {
  const auto random = holdTorchRandom();
  seedTorch(21);
  SegmentScores scores;
  for (std::int64_t i = 0; i < kPredictions; ++i) {
    scores.classes.push_back(at::randn({images, queries, kTinyClasses + 1}, at::kDouble) * 2);
    scores.masks.push_back(at::randn({images, queries, 8, 8}, at::kDouble) * 3);
  }
  return scores;
}

naive::Sums naiveSums(const SegmentScores& scores, const at::Tensor& segments,
                      const PointSeeds& seeds) {
  naive::Sums sums;
  for (std::int64_t image = 0; image < segments.size(0); ++image) {
    naive::addCounts(sums, segments[image], scores.classes[0].size(1));
    for (std::size_t i = 0; i < scores.classes.size(); ++i)
      naive::addLosses(
          sums, naive::saidOf(scores.classes[i][image], scores.masks[i][image], segments[image],
                              pointKeys(seeds, std::size_t(image), i)));
  }
  return sums;
}

TEST(MaskMatching, CostsAreThoseOfANaiveReference) {
  const SegmentScores scores = drawnSegmentScores(1, 6);
  const at::Tensor segments = segmentBatch(1, 4).segments[0];
  const at::Tensor points = drawnPoints(17, 1, 300, at::kDouble)[0];
  const TrueMasks truth = trueMasks(segments, classesIn(segments, kTinyClasses), at::kDouble);
  const at::Tensor costs = matchingCosts({scores.classes[0][0], scores.masks[0][0]}, truth, points);
  const auto wantedTruth = naive::truthOf(segments);
  const auto queries = naive::queriesOf(scores.classes[0][0], scores.masks[0][0]);
  ASSERT_GT(wantedTruth.size(), 2u);
  ASSERT_EQ(costs.sizes(), (at::IntArrayRef{6, std::int64_t(wantedTruth.size())}));
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (std::size_t m = 0; m < wantedTruth.size(); ++m)
      EXPECT_NEAR(costs[std::int64_t(q)][std::int64_t(m)].item<double>(),
                  naive::cost(queries[q], wantedTruth[m], naive::pointsOf(points)), 1e-10);
}

TEST(MaskMatching, GivesEachMaskTheCheapestQuery) {
  const at::Tensor costs = at::tensor({4., 1., 2., 0.5, 3., 3.}, at::kDouble).view({3, 2});
  EXPECT_EQ(matchedQueries(costs), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(matchedQueries(costs.t()), (std::vector<std::int64_t>{1, 0, -1}))
      << "three masks, two queries: 1 + 2 is less than 3 + 0.5 and all others";
}

TEST(SegmentLosses, AreThoseOfANaiveReference) {
  for (const std::int64_t queries : {6, 2}) {  // 2: fewer than true masks
    const SegmentScores scores = drawnSegmentScores(3, queries);
    const at::Tensor segments = segmentBatch(3, 4).segments;
    const PointSeeds seeds{77, {4, 0, 9}};
    const SegmentLossSums found = sumSegmentLosses(scores, segments, seeds);
    const naive::Sums wanted = naiveSums(scores, segments, seeds);
    EXPECT_NEAR(found.classes.item<double>(), wanted.classes, 1e-9);
    EXPECT_NEAR(found.masks.item<double>(), wanted.masks, 1e-9);
    EXPECT_NEAR(found.dice.item<double>(), wanted.dice, 1e-9);
    const SegmentDenominators counts = countSegments(segments, kTinyClasses, queries);
    EXPECT_EQ(counts.masks, wanted.trueMasks);
    EXPECT_NEAR(counts.weights, wanted.weights, 1e-12);
    EXPECT_NEAR(segmentLosses(found, counts.of(1)).total().item<double>(), wanted.total(), 1e-9);
  }
}

/// Every prediction draws its own points: two that say the same have other losses.
TEST(SegmentLosses, DrawForEveryPredictionAndRow) {
  const SegmentScores drawn = drawnSegmentScores(1, 6);
  const SegmentScores one{{drawn.classes[0]}, {drawn.masks[0]}};
  const SegmentScores two{{drawn.classes[0], drawn.classes[0]}, {drawn.masks[0], drawn.masks[0]}};
  const at::Tensor segments = segmentBatch(1, 4).segments;
  const double alone = sumSegmentLosses(one, segments, {5, {0}}).masks.item<double>();
  EXPECT_NE(sumSegmentLosses(two, segments, {5, {0}}).masks.item<double>(), 2 * alone);
  EXPECT_NE(sumSegmentLosses(one, segments, {5, {1}}).masks.item<double>(), alone);
  EXPECT_EQ(sumSegmentLosses(one, segments, {5, {0}}).masks.item<double>(), alone);
}

TEST(SegmentLosses, LearnNothingButNoneWhereNothingIsKnown) {
  SegmentScores scores = drawnSegmentScores(1, 4);
  for (auto* said : {&scores.classes, &scores.masks})
    for (at::Tensor& logits : *said)
      logits.requires_grad_(true);
  const at::Tensor segments = at::full({1, 32, 32}, kIgnoredClass, at::kByte);
  const SegmentDenominators counts = countSegments(segments, kTinyClasses, 4);
  EXPECT_EQ(counts.masks, 0);
  const SegmentLosses losses =
      segmentLosses(sumSegmentLosses(scores, segments, {5, {0}}), counts.of(1));
  EXPECT_EQ(losses.masks.item<double>(), 0);
  EXPECT_EQ(losses.dice.item<double>(), 0);
  losses.total().backward();
  ASSERT_TRUE(scores.masks[0].grad().defined());
  EXPECT_EQ(scores.masks[0].grad().abs().max().item<double>(), 0);
  EXPECT_GT(scores.classes[0].grad().abs().max().item<double>(), 0);
}

TEST(SegmentLosses, RefuseAClassThatTheModelHasNot) {
  const at::Tensor segments = at::full({8, 8}, 4, at::kByte);
  EXPECT_THROW(classesIn(segments, 4), Failure);
  EXPECT_EQ(classesIn(segments, 5), (std::vector<std::int64_t>{4}));
}

}  // namespace
}  // namespace headlight
