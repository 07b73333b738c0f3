// SPDX-License-Identifier: GPL-3.0-or-later

// Mask edits of a run along the axes of its curves, and in their figure.

#include "core/workbench/runs/RunMarks.h"

#include <gtest/gtest.h>

#include "core/base/files/Files.h"
#include "core/workbench/figures/RunFigure.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

RunHistory editedRun() {
  RunHistory history;
  history.steps = {{1, 2.0, 1e-3, 10}, {100, 1.0, 1e-3, 10}};
  EpochPoint first, second;
  first.epoch = 1;
  first.step = 50;
  second.epoch = 2;
  second.step = 100;
  history.epochPoints = {first, second};
  history.edits = {{25, MaskEdit{"hard 3×3 on layer 2", {}, {}, {}}},
                   {75, MaskEdit{"no mask on layer 0", {}, {}, {}}}};
  return history;
}

TEST(RunMarks, AreAtTheStepsOfTheEdits) {
  EXPECT_EQ(makeRunMarks(editedRun(), RunAxis::Step),
            (std::vector<RunMark>{{25, "hard 3×3 on layer 2"}, {75, "no mask on layer 0"}}));
  EXPECT_TRUE(makeRunMarks(RunHistory(), RunAxis::Step).empty());
}

TEST(RunMarks, FollowTheAxis) {
  const auto marks = makeRunMarks(editedRun(), RunAxis::Epoch);
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_DOUBLE_EQ(marks[0].key, 0.5);
  EXPECT_DOUBLE_EQ(marks[1].key, 1.5);
  EXPECT_TRUE(makeRunMarks(editedRun(), RunAxis::Time).empty());  // no log says it
}

TEST(RunMarks, AreNamedInTheFigure) {
  const TemporaryFolder folder;
  const NamedCurve curve{"run", makeRunCurve(editedRun(), "loss", RunAxis::Step),
                         makeRunMarks(editedRun(), RunAxis::Step)};
  ASSERT_TRUE(
      writeRunCurves(folder / "loss.svg", {curve}, {"loss", "training loss"}, RunAxis::Step));
  const std::string svg = valueOrThrow(readFile(folder / "loss.svg", 1u << 20));
  EXPECT_NE(svg.find("hard 3×3 on layer 2"), std::string::npos);
}

}  // namespace
}  // namespace headlight
