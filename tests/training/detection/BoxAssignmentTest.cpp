// SPDX-License-Identifier: GPL-3.0-or-later

// SimOTA beside loops that follow its definition word by word (NaiveBoxes.h).

#include "core/training/detection/BoxAssignment.h"

#include <gtest/gtest.h>

#include "core/base/Result.h"
#include "tests/training/detection/DrawnScores.h"
#include "tests/training/detection/NaiveBoxes.h"

namespace headlight {
namespace {

at::Tensor backgroundOf(const CellScores& scores) {
  const at::Tensor p = scores.logits.sigmoid();
  return (p * p * at::softplus(scores.logits) * 0.75).sum(2);
}

/// For each cell the place of its box in `truth`; -1: none.
std::vector<int> ownersOf(const CellScores& scores, const LabeledBoxes& truth) {
  std::vector<int> owners(static_cast<std::size_t>(scores.logits.size(1)), -1);
  for (const AssignedCell& one : assignCells(scores, backgroundOf(scores), {truth}))
    owners[static_cast<std::size_t>(one.cell)] =
        static_cast<int>(std::find(truth.begin(), truth.end(), one.truth) - truth.begin());
  return owners;
}

/// The first box that equals it stands for a box: equal boxes with other areas are told apart.
LabeledBoxes numbered(LabeledBoxes boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i)
    boxes[i].area = static_cast<double>(i);
  return boxes;
}

int countOf(const std::vector<int>& owners, int box) {
  return static_cast<int>(std::count(owners.begin(), owners.end(), box));
}

void expectAsDefined(const CellScores& scores, const LabeledBoxes& boxes, const std::string& what) {
  const LabeledBoxes truth = numbered(boxes);
  EXPECT_EQ(ownersOf(scores, truth), naive::assignment(naive::cellsOf(scores, 0), truth)) << what;
}

TEST(BoxAssignment, IsSimOtaAsDefined) {
  for (unsigned seed = 0; seed < 150; ++seed)
    expectAsDefined(drawnScores(1, seed), drawnBoxes(12, seed), "seed " + std::to_string(seed));
}

TEST(BoxAssignment, IsSimOtaWhereEveryCellSaysTheSame) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CellScores scores = drawnScores(1, 0);
    scores.logits.zero_();
    scores.sides.zero_();
    expectAsDefined(scores, drawnBoxes(8, seed), "seed " + std::to_string(seed));
  }
}

TEST(BoxAssignment, GivesNoCellWhereNothingIsThere) {
  EXPECT_TRUE(assignCells(drawnScores(2, 1), backgroundOf(drawnScores(2, 1)), {{}, {}}).empty());
}

TEST(BoxAssignment, GivesABoxFarFromAllCellsNone) {
  const LabeledBoxes truth{{{500, 500, 3, 3}, 1}};
  EXPECT_EQ(countOf(ownersOf(drawnScores(1, 2), truth), 0), 0);
  expectAsDefined(drawnScores(1, 2), truth, "far");
}

TEST(BoxAssignment, GivesABoxBetweenTheCentersTheCheapestCellNearIt) {
  const LabeledBoxes truth{{{30.5, 30.5, 1, 1}, 1}};
  EXPECT_EQ(countOf(ownersOf(drawnScores(1, 3), truth), 0), 1);
  expectAsDefined(drawnScores(1, 3), truth, "small");
}

TEST(BoxAssignment, GivesCellsThatTwoBoxesTakeToTheCheaperOne) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const LabeledBoxes truth{{{8, 8, 40, 40}, 1}, {{8, 8, 40, 40}, 2}, {{12, 12, 32, 32}, 1}};
    expectAsDefined(drawnScores(1, seed), truth, "seed " + std::to_string(seed));
  }
}

TEST(BoxAssignment, GivesTheFirstOfEqualBoxesTheCells) {
  const LabeledBoxes truth = numbered({{{8, 8, 40, 40}, 1}, {{8, 8, 40, 40}, 1}});
  const auto owners = ownersOf(drawnScores(1, 4), truth);
  EXPECT_GE(countOf(owners, 0), 1);
  EXPECT_EQ(countOf(owners, 1), 0);
}

TEST(BoxAssignment, LeavesOutCrowdsAndBoxesWithoutArea) {
  const CellScores scores = drawnScores(1, 5);
  const LabeledBoxes learned{{{4, 4, 24, 20}, 1}};
  LabeledBoxes all{{{30, 30, 20, 20}, 2, 400, true}, learned[0], {{10, 10, 0, 8}, 3}};
  const auto owners = ownersOf(scores, all), expected = ownersOf(scores, learned);
  for (std::size_t n = 0; n < owners.size(); ++n)
    EXPECT_EQ(owners[n], expected[n] < 0 ? -1 : 1) << n;
}

TEST(BoxAssignment, TakesEachImageOfABatchForItself) {
  const CellScores scores = drawnScores(3, 6);
  const BatchBoxes truth{drawnBoxes(6, 1), {}, drawnBoxes(6, 3)};
  const std::int64_t cells = scores.logits.size(1);
  std::vector<int> owners(static_cast<std::size_t>(3 * cells), -1);
  for (const AssignedCell& one : assignCells(scores, backgroundOf(scores), truth)) {
    const LabeledBoxes& boxes = truth[static_cast<std::size_t>(one.cell / cells)];
    owners[static_cast<std::size_t>(one.cell)] =
        static_cast<int>(std::find(boxes.begin(), boxes.end(), one.truth) - boxes.begin());
  }
  std::vector<int> expected;
  for (std::int64_t image = 0; image < 3; ++image)
    for (const int owner :
         naive::assignment(naive::cellsOf(scores, image), truth[static_cast<std::size_t>(image)]))
      expected.push_back(owner);
  EXPECT_EQ(owners, expected);
}

TEST(BoxAssignment, RefusesAClassThatTheModelDoesNotHave) {
  const CellScores scores = drawnScores(1, 7);
  const LabeledBoxes unknown{{{4, 4, 9, 9}, kDrawnClasses}};
  EXPECT_THROW(assignCells(scores, backgroundOf(scores), {unknown}), Failure);
}

TEST(BoxAssignment, EndsWhereScoresAreNoNumbers) {
  CellScores scores = drawnScores(1, 8);
  scores.logits.fill_(std::nan(""));
  scores.sides.fill_(std::nan(""));
  EXPECT_LE(assignCells(scores, backgroundOf(scores), {drawnBoxes(9, 2)}).size(), 90u);
}

}  // namespace
}  // namespace headlight
