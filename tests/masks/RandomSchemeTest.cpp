// SPDX-License-Identifier: GPL-3.0-or-later

// Schemes with as many masked heads as another, but others.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/masks/RandomScheme.h"

namespace headlight {
namespace {

std::vector<std::string> sortedCells(const MaskScheme& scheme, int layer) {
  std::vector<std::string> cells;
  for (const HeadMask& mask : scheme.layer(layer))
    cells.push_back(toText(mask));
  std::sort(cells.begin(), cells.end());
  return cells;
}

TEST(RandomScheme, HasTheMasksOfEveryLayerOnOtherHeads) {
  const MaskShape shape(std::vector<int>(12, 6), 10);
  const MaskScheme base = *makeMaskPreset("sch2", shape, 5);
  const MaskScheme dealt = dealtOut(base, 7);
  EXPECT_FALSE(dealt == base);
  for (int l = 0; l < 12; ++l)
    EXPECT_EQ(sortedCells(dealt, l), sortedCells(base, l)) << l;
  EXPECT_EQ(dealt.shape(), base.shape());
  EXPECT_TRUE(dealtOut(base, 7) == dealt);
  EXPECT_FALSE(dealtOut(base, 8) == dealt);
}

TEST(RandomScheme, IsTheSameEverywhere) {
  // Written down once: a change here changes what people's configs mean.
  const MaskScheme dealt = *makeMaskPreset("random-like:sch1@7", MaskShape({4, 4, 4, 4, 4, 4}));
  std::vector<int> masked;
  for (int l = 0; l < 6; ++l)
    for (int h = 0; h < 4; ++h)
      if (dealt.at(l, h).kind == MaskKind::Hard) masked.push_back(h);
  EXPECT_EQ(masked, (std::vector<int>{2, 2, 3, 3, 0, 2}));
  EXPECT_EQ(dealt.name(), "random-like:sch1@7");
}

TEST(RandomScheme, HasAStarWhereItsBaseHasOtherValues) {
  const MaskShape shape({4, 4, 4, 4, 4, 4});
  const MaskScheme dealt = *makeMaskPreset("random-like:sch1@7", shape, 5);
  EXPECT_EQ(dealt.name(), "random-like:sch1@7*");
  EXPECT_EQ(schemeTitle(dealt), "random-like:sch1@7* (5×5)");
}

TEST(RandomScheme, IsReadFromItsName) {
  EXPECT_EQ(randomLikeFromText("random-like:sch2@7")->base, "sch2");
  EXPECT_EQ(randomLikeFromText("random-like:sch2@7")->seed, 7u);
  EXPECT_EQ(randomLikeFromText("random-like:sch2:5")->base, "sch2:5");
  EXPECT_EQ(randomLikeFromText("random-like:sch2")->seed, 0u);
  EXPECT_EQ(randomLikeFromText("random-like:me@home.json")->base, "me@home.json");
  EXPECT_FALSE(randomLikeFromText("sch2@7"));
  EXPECT_FALSE(makeMaskPreset("random-like:sch9", MaskShape({2, 2})));
  EXPECT_FALSE(makeMaskPreset("random-like:", MaskShape({2, 2})));
}

}  // namespace
}  // namespace headlight
