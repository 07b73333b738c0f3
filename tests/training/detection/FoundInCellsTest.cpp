// SPDX-License-Identifier: GPL-3.0-or-later

// What a detector finds, beside loops that follow the definition: scores, suppression class by
// class, the best of all.

#include "core/models/detection/FoundInCells.h"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/training/detection/DrawnScores.h"
#include "tests/training/detection/NaiveBoxes.h"

namespace headlight {
namespace {

struct NaiveFound {
  naive::Corners box;
  int label;
  double score;
  std::size_t cell;
};

std::vector<NaiveFound> naiveOfClass(const naive::Cells& cells, int label) {
  std::vector<NaiveFound> candidates, kept;
  for (std::size_t n = 0; n < cells.size(); ++n)
    if (const double score = naive::probability(cells[n].logits[std::size_t(label)]); score > 0.025)
      candidates.push_back({naive::boxOf(cells[n]), label, score, n});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  for (const NaiveFound& one : candidates)
    if (std::none_of(kept.begin(), kept.end(), [&](const NaiveFound& better) {
          return naive::overlap(one.box, better.box).iou > 0.6;
        }))
      kept.push_back(one);
  return kept;
}

std::vector<NaiveFound> naiveFound(const naive::Cells& cells) {
  std::vector<NaiveFound> all;
  for (int label = 0; label < kDrawnClasses; ++label)
    for (const NaiveFound& one : naiveOfClass(cells, label))
      all.push_back(one);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::make_tuple(-a.score, a.cell, a.label) < std::make_tuple(-b.score, b.cell, b.label);
  });
  if (all.size() > 100) all.resize(100);
  for (NaiveFound& one : all)
    for (double& side : one.box)
      side = std::clamp(side, 0.0, 64.0);
  return all;
}

void expectFound(const CellScores& scores) {
  const auto found = findBoxes(scores, 64, 64);
  for (std::size_t image = 0; image < found.size(); ++image) {
    const auto expected = naiveFound(naive::cellsOf(scores, static_cast<std::int64_t>(image)));
    ASSERT_EQ(found[image].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const CellBox& one = found[image][i];
      EXPECT_EQ(one.label, expected[i].label);
      EXPECT_EQ(one.cell, static_cast<std::int64_t>(expected[i].cell));
      EXPECT_NEAR(one.score, expected[i].score, 1e-12);
      const naive::Corners box = naive::cornersOf(one.box);
      for (std::size_t side = 0; side < 4; ++side)
        EXPECT_NEAR(box[side], expected[i].box[side], 1e-9);
    }
  }
}

TEST(FoundInCells, IsWhatTheDefinitionGives) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    expectFound(drawnScores(2, seed));
  }
}

TEST(FoundInCells, KeepsTheOrderOfCellsAndClassesAmongEqualScores) {
  CellScores scores = drawnScores(1, 30);
  scores.logits.zero_();
  expectFound(scores);
}

TEST(FoundInCells, IsNothingWhereScoresAreLowOrNoNumbers) {
  CellScores scores = drawnScores(1, 31);
  scores.logits.fill_(-4);  // 0.018
  EXPECT_TRUE(findBoxes(scores, 64, 64)[0].empty());
  scores.logits.fill_(std::nan(""));
  EXPECT_TRUE(findBoxes(scores, 64, 64)[0].empty());
  scores.logits.zero_();
  scores.sides.fill_(std::nan(""));
  EXPECT_TRUE(findBoxes(scores, 64, 64)[0].empty());
}

}  // namespace
}  // namespace headlight
