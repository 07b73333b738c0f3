// SPDX-License-Identifier: GPL-3.0-or-later

// Measures of segments beside naive loops over pixels, class by class.

#include "core/analysis/segments/SegmentConfusion.h"

#include <gtest/gtest.h>

#include <random>

#include "core/analysis/segments/SegmentTables.h"
#include "core/base/Result.h"

namespace headlight {
namespace {

struct Pair {
  ClassImage truth, predicted;
};

/// Class 3 of 5 is predicted and never true, class 4 is neither.
std::vector<Pair> randomPairs(int images) {
  std::mt19937 random(7);
  std::vector<Pair> pairs;
  for (int i = 0; i < images; ++i) {
    Pair pair{{9 + i, 7, {}}, {9 + i, 7, {}}};
    for (int p = 0; p < (9 + i) * 7; ++p) {
      const auto draw = random() % 8;
      pair.truth.classes.push_back(draw < 1 ? kIgnoredClass : static_cast<std::uint8_t>(draw % 3));
      pair.predicted.classes.push_back(random() % 3 == 0 ? pair.truth.classes.back() % 3
                                                         : static_cast<std::uint8_t>(random() % 4));
    }
    pairs.push_back(pair);
  }
  return pairs;
}

/// Pixels with a truth for which `counts(truth, predicted)`.
template <typename Counts>
double naiveCount(const std::vector<Pair>& pairs, Counts counts) {
  double count = 0;
  for (const Pair& pair : pairs)
    for (std::size_t p = 0; p < pair.truth.classes.size(); ++p)
      if (pair.truth.classes[p] != kIgnoredClass)
        count += counts(pair.truth.classes[p], pair.predicted.classes[p]);
  return count;
}

SegmentConfusion confusionOf(const std::vector<Pair>& pairs) {
  SegmentConfusion confusion(5);
  for (const Pair& pair : pairs)
    confusion.add(pair.truth, pair.predicted);
  return confusion;
}

TEST(SegmentConfusion, EqualsNaiveLoops) {
  const auto pairs = randomPairs(12);
  const SegmentMeasures found = confusionOf(pairs).measures();
  double ious = 0, accuracies = 0;
  for (int k = 0; k < 3; ++k) {
    const double both = naiveCount(pairs, [&](int t, int p) { return t == k && p == k; });
    const double either = naiveCount(pairs, [&](int t, int p) { return t == k || p == k; });
    const double truth = naiveCount(pairs, [&](int t, int) { return t == k; });
    ASSERT_TRUE(found.iou[std::size_t(k)] && found.accuracy[std::size_t(k)]);
    EXPECT_NEAR(*found.iou[std::size_t(k)], both / either, 1e-12);
    EXPECT_NEAR(*found.accuracy[std::size_t(k)], both / truth, 1e-12);
    ious += both / either;
    accuracies += both / truth;
  }
  EXPECT_NEAR(found.miou, ious / 3, 1e-12);
  EXPECT_NEAR(found.macc, accuracies / 3, 1e-12);
  const double all = naiveCount(pairs, [](int, int) { return 1; });
  EXPECT_NEAR(found.pacc, naiveCount(pairs, [](int t, int p) { return t == p; }) / all, 1e-12);
  EXPECT_EQ(found.pixels, static_cast<std::int64_t>(all));
}

TEST(SegmentConfusion, ClassesThatDoNotOccurCountForNothing) {
  const SegmentMeasures found = confusionOf(randomPairs(12)).measures();
  for (const std::size_t k : {3u, 4u}) {
    EXPECT_FALSE(found.iou[k].has_value());
    EXPECT_FALSE(found.accuracy[k].has_value());
  }
  EXPECT_GT(found.predicted[3], 0) << "it lowers pAcc alone";
  const SegmentMeasures none = SegmentConfusion(2).measures();
  EXPECT_EQ(none.miou, kNoSegmentNumber);
  EXPECT_EQ(none.pacc, kNoSegmentNumber);
  EXPECT_EQ(none.pixels, 0);
}

TEST(SegmentConfusion, CountsOfSeveralProcessesAddUp) {
  const auto pairs = randomPairs(6);
  SegmentConfusion a = confusionOf({pairs.begin(), pairs.begin() + 2});
  a.add(confusionOf({pairs.begin() + 2, pairs.end()}).counts());
  EXPECT_EQ(a.counts(), confusionOf(pairs).counts());
  EXPECT_FALSE(guarded("", [&] { a.add(SegmentConfusion(4).counts()); }).ok());
}

TEST(SegmentConfusion, CountsByRowTrueAndColumnPredicted) {
  SegmentConfusion confusion(3);
  confusion.add({4, 1, {0, 1, 1, kIgnoredClass}}, {4, 1, {2, 1, 0, 1}});
  EXPECT_EQ(confusion.at(0, 2), 1);
  EXPECT_EQ(confusion.at(2, 0), 0);
  EXPECT_EQ(confusion.at(1, 1), 1);
  EXPECT_EQ(confusion.at(1, 0), 1);
}

TEST(SegmentConfusion, WhatDoesNotFitIsRefusedAndNotCounted) {
  SegmentConfusion confusion(2);
  const auto refuses = [&](const ClassImage& truth, const ClassImage& predicted) {
    return !guarded("", [&] { confusion.add(truth, predicted); }).ok();
  };
  EXPECT_TRUE(refuses({2, 1, {0, 1}}, {1, 2, {0, 1}}));
  EXPECT_TRUE(refuses({2, 1, {0, 1}}, {2, 1, {0}}));
  EXPECT_TRUE(refuses({2, 1, {0, 2}}, {2, 1, {0, 1}}));
  EXPECT_TRUE(refuses({2, 1, {0, 1}}, {2, 1, {0, kIgnoredClass}}));
  EXPECT_EQ(confusion.counts(), std::vector<std::int64_t>(4));
  EXPECT_FALSE(refuses({2, 1, {0, kIgnoredClass}}, {2, 1, {0, kIgnoredClass}}));
  EXPECT_FALSE(guarded("", [] { SegmentConfusion(0); }).ok());
  EXPECT_FALSE(guarded("", [] { SegmentConfusion(256); }).ok());
}

TEST(SegmentTables, HaveNullAndBlankWhereThereIsNoNumber) {
  SegmentConfusion confusion(2);
  confusion.add({4, 1, {0, 0, 0, 0}}, {4, 1, {0, 0, 0, 1}});
  const SegmentMeasures measures = confusion.measures();
  EXPECT_EQ(segmentCsv(measures, {"a", "b"}),
            "class,iou,accuracy,pixels,predicted\n\"a\",0.75,0.75,4,3\n\"b\",,,0,1\n");
  const Json json = segmentJson(measures, {"a", "b"});
  EXPECT_EQ(json["miou"], 0.75);
  EXPECT_TRUE(json["classes"][1]["iou"].is_null());
  EXPECT_TRUE(segmentJson(SegmentConfusion(2).measures(), {"a", "b"})["miou"].is_null());
}

TEST(SegmentConfusion, CountsTheUnpredictedAmongTheTruth) {
  SegmentConfusion confusion(2, Unpredicted::Count);
  confusion.add({5, 1, {0, 0, 0, 1, kIgnoredClass}}, {5, 1, {0, 1, kIgnoredClass, 1, 0}});
  EXPECT_EQ(confusion.at(0, 2), 1);
  const SegmentMeasures measures = confusion.measures();
  EXPECT_EQ(measures.truth, (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(measures.predicted, (std::vector<std::int64_t>{1, 2}));
  EXPECT_DOUBLE_EQ(*measures.iou[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(measures.miou, (1.0 / 3 + 1.0 / 2) / 2);
  EXPECT_DOUBLE_EQ(measures.pacc, 2.0 / 4);
  EXPECT_FALSE(guarded("", [&] { confusion.add(SegmentConfusion(2).counts()); }).ok());
}

TEST(SegmentConfusion, CountsTheUnpredictedOfAsManyClassesAsThereAre) {
  SegmentConfusion confusion(kMaxPixelClasses, Unpredicted::Count);
  confusion.add({2, 1, {254, 254}}, {2, 1, {254, kIgnoredClass}});
  EXPECT_EQ(confusion.at(254, kMaxPixelClasses), 1);
  EXPECT_DOUBLE_EQ(*confusion.measures().iou[254], 1.0 / 2);
}

}  // namespace
}  // namespace headlight
