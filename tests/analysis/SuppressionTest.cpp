// SPDX-License-Identifier: GPL-3.0-or-later

// Which boxes are kept, beside a naive suppression class by class.

#include "core/analysis/boxes/Suppression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace headlight {
namespace {

const ScoredBox& at(const std::vector<ScoredBox>& boxes, int place) {
  return boxes[static_cast<std::size_t>(place)];
}

void sortByScore(std::vector<int>& places, const std::vector<ScoredBox>& boxes) {
  std::sort(places.begin(), places.end(), [&](int a, int b) {
    return at(boxes, a).score != at(boxes, b).score ? at(boxes, a).score > at(boxes, b).score
                                                    : a < b;
  });
}

/// Class by class: the best candidates, and of them those that no better one that is kept covers.
std::vector<int> naiveKept(const std::vector<ScoredBox>& boxes, const SuppressionOptions& options) {
  std::vector<int> all;
  for (int label = 0; label < 4; ++label) {
    std::vector<int> own, kept;
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i)
      if (at(boxes, i).label == label) own.push_back(i);
    sortByScore(own, boxes);
    if (static_cast<int>(own.size()) > options.bestOfClass)
      own.resize(static_cast<std::size_t>(options.bestOfClass));
    for (const int place : own)
      if (std::none_of(kept.begin(), kept.end(), [&](int better) {
            return overlapOf(at(boxes, place).box, at(boxes, better).box, false) > options.overlap;
          }))
        kept.push_back(place);
    all.insert(all.end(), kept.begin(), kept.end());
  }
  sortByScore(all, boxes);
  if (static_cast<int>(all.size()) > options.mostOfImage)
    all.resize(static_cast<std::size_t>(options.mostOfImage));
  return all;
}

/// On a coarse grid, so that scores and overlaps are often equal.
std::vector<ScoredBox> drawnCandidates(int count, unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int below) { return static_cast<int>(random() % unsigned(below)); };
  std::vector<ScoredBox> boxes;
  for (int i = 0; i < count; ++i)
    boxes.push_back({{5.0 * draw(8), 5.0 * draw(8), 5.0 * (1 + draw(8)), 5.0 * (1 + draw(8))},
                     draw(4),
                     draw(20) / 20.0});
  return boxes;
}

TEST(Suppression, IsThatOfEachClassForItself) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto boxes = drawnCandidates(static_cast<int>(5 * seed), seed);
    for (const SuppressionOptions& options :
         {SuppressionOptions{}, SuppressionOptions{0.3, 20, 100}, SuppressionOptions{0.6, 1000, 7}})
      EXPECT_EQ(keptBoxes(boxes, options), naiveKept(boxes, options)) << seed;
  }
}

TEST(Suppression, KeepsTheFirstOfEqualBoxes) {
  const ScoredBox box{{0, 0, 10, 10}, 0, 0.5};
  EXPECT_EQ(keptBoxes({box, box, box}), std::vector<int>{0});
}

TEST(Suppression, KeepsWhatOverlapsExactlyAsMuchAsAllowed) {
  const std::vector<ScoredBox> boxes{{{0, 0, 8, 10}, 0, 0.9}, {{2, 0, 8, 10}, 0, 0.8}};
  EXPECT_EQ(keptBoxes(boxes, {0.6, 1000, 100}), (std::vector<int>{0, 1}));  // 60 / 100
  EXPECT_EQ(keptBoxes(boxes, {0.59, 1000, 100}), std::vector<int>{0});
}

TEST(GeneralizedOverlap, IsIouLessTheShareThatNeitherBoxHas) {
  EXPECT_DOUBLE_EQ(generalizedOverlap({0, 0, 4, 4}, {0, 0, 4, 4}), 1);
  EXPECT_DOUBLE_EQ(generalizedOverlap({0, 0, 2, 2}, {2, 2, 2, 2}), -0.5);
  EXPECT_NEAR(generalizedOverlap({0, 0, 2, 1}, {1, 0, 2, 1}), 1.0 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(generalizedOverlap({1, 1, 0, 0}, {0, 0, 2, 2}), 0);
}

}  // namespace
}  // namespace headlight
