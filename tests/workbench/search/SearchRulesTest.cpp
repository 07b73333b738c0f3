// SPDX-License-Identifier: GPL-3.0-or-later

// What a search decides from numbers, against MaiT's text (§4.3).

#include "core/workbench/search/SearchRules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/workbench/search/SchemeSearch.h"

namespace headlight {
namespace {

const HeadMask kHard = *headMaskFromText("hard:3");

std::vector<std::string> cells(const MaskScheme& scheme) {
  std::vector<std::string> lines;
  for (int layer = 0; layer < scheme.layers(); ++layer) {
    lines.emplace_back();
    for (const HeadMask& mask : scheme.layer(layer))
      lines.back() += mask.kind == MaskKind::None ? '.' : '#';
  }
  return lines;
}

TEST(SearchRules, TheFirstRoundMasksHeadZeroOfEveryLayerThatCanBe) {
  EXPECT_EQ(cells(initialScheme(MaskShape({3, 3, 2}, 2), kHard)),
            (std::vector<std::string>{"#..", "#..", ".."}));
}

TEST(SearchRules, AssignmentGoesByTheLocalityOfHeadZero) {
  const MaskScheme start = initialScheme(MaskShape({3, 3, 3, 3, 3, 3}), kHard);
  const double none = std::nan("");
  // At a bound exactly: neither above nor below it.
  const SearchStep step = assignedScheme(
      start, {{.9, 0, 0}, {.65, 0, 0}, {.5, 1, 1}, {.35, 1, 1}, {.1, 1, 1}, {none, none, none}},
      {});
  EXPECT_EQ(cells(step.scheme),
            (std::vector<std::string>{"###", "#..", "#..", "#..", "...", "#.."}));
  ASSERT_EQ(step.decisions.size(), 6u);
  EXPECT_EQ(step.decisions[0].action, "mask");
  EXPECT_EQ(step.decisions[0].reason, "ALS 0.900 of head 0 is above 0.65");
  EXPECT_EQ(step.decisions[0].head, -1);
  EXPECT_EQ(step.decisions[4].reason, "ALS 0.100 of head 0 is below 0.35");
  EXPECT_EQ(step.decisions[5].reason, "its maps have no ALS");
}

/// What a reason says of two numbers is true of the numbers that it prints.
TEST(SearchRules, ReasonsPrintTheDigitsThatDecide) {
  const MaskScheme start = initialScheme(MaskShape({1, 1, 1, 1}), kHard);
  SearchOptions options;
  options.removeBelow = 0.3125;
  const SearchStep step = assignedScheme(start, {{.6502}, {.64996}, {.31249}, {.3126}}, options);
  EXPECT_EQ(step.decisions[0].reason, "ALS 0.6502 of head 0 is above 0.65");
  EXPECT_EQ(step.decisions[1].reason, "ALS 0.64996 of head 0 is from 0.3125 to 0.65");
  EXPECT_EQ(step.decisions[2].reason, "ALS 0.31249 of head 0 is below 0.3125");
  EXPECT_EQ(step.decisions[3].reason, "ALS 0.3126 of head 0 is from 0.3125 to 0.65");
  options.calibrateBelow = 0.35;
  const SearchStep last = calibratedScheme(start, {{.34999}, {.35}, {.3500001}, {.9}}, options);
  EXPECT_EQ(last.decisions[0].reason, "ALS 0.34999 is below 0.35");
  EXPECT_EQ(last.decisions[1].reason, "ALS 0.350 is not below 0.35");
  EXPECT_EQ(last.decisions[2].reason, "ALS 0.3500001 is not below 0.35");
  EXPECT_EQ(last.decisions[3].reason, "ALS 0.900 is not below 0.35");
}

TEST(SearchRules, CalibrationTakesMasksFromHeadsThatAreNotLocal) {
  MaskScheme scheme(MaskShape({2, 2}));
  scheme.set(0, 0, kHard);
  scheme.set(0, 1, kHard);
  scheme.set(1, 1, kHard);
  SearchOptions options;
  options.calibrateBelow = 0.4;
  const SearchStep step = calibratedScheme(scheme, {{.39, .4}, {.1, .8}}, options);
  EXPECT_EQ(cells(step.scheme), (std::vector<std::string>{".#", ".#"}));
  EXPECT_EQ(step.decisions.size(), 3u);  // head 1:0 had no mask
}

TEST(SearchRules, TheLeastImportantComesFirst) {
  MaskScheme scheme(MaskShape({2, 2, 1}, 2));
  scheme.set(0, 0, kHard);
  const auto order = leastImportantFirst(scheme, {{-1, 0.5}, {0.1, 0.5}, {-3}});
  EXPECT_EQ(order, (std::vector<HeadPlace>{{1, 0}, {0, 1}, {1, 1}}));
}

TEST(SearchRules, RandomSchemesMaskAsManyHeadsOfEveryCost) {
  MaskScheme scheme(MaskShape({4, 4, 4, 4}));
  for (int head = 0; head < 3; ++head)
    scheme.set(0, head, kHard);
  scheme.set(3, 1, kHard);
  const std::vector<std::int64_t> cost{5, 5, 5, 9};
  const auto masked = [](const MaskScheme& some, int first, int last) {
    int heads = 0;
    for (int layer = first; layer <= last; ++layer)
      for (const HeadMask& mask : some.layer(layer))
        heads += mask.kind != MaskKind::None;
    return heads;
  };
  bool otherLayers = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const MaskScheme dealt = dealtAmongEqual(scheme, cost, seed);
    EXPECT_EQ(masked(dealt, 0, 2), 3);
    EXPECT_EQ(masked(dealt, 3, 3), 1);
    EXPECT_EQ(dealt, dealtAmongEqual(scheme, cost, seed));
    otherLayers = otherLayers || masked(dealt, 1, 2) > 0;
  }
  EXPECT_TRUE(otherLayers);
}

TEST(SearchRules, DecisionsAreWrittenAsATable) {
  EXPECT_EQ(searchDecisionsCsv({{"assign", 2, -1, 0.5, "keep", "ALS 0.5, between"},
                                {"calibrate", 2, 1, std::nan(""), "keep", "its map has no ALS"}}),
            "round,layer,head,value,decision,reason\n"
            "assign,2,,0.5,keep,\"ALS 0.5, between\"\n"
            "calibrate,2,1,,keep,\"its map has no ALS\"\n");
}

}  // namespace
}  // namespace headlight
