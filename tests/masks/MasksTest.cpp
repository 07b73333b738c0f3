// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/masks/HeadMean.h"
#include "core/masks/MaskEdit.h"
#include "core/masks/MaskScheme.h"
#include "core/masks/Neighborhood.h"

namespace headlight {
namespace {

HeadMask parsed(const std::string& text) {
  const auto mask = headMaskFromText(text);
  EXPECT_TRUE(mask.ok()) << text;
  return mask.ok() ? *mask : HeadMask{};
}

TEST(HeadMean, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(meanOverHeads({{0.25f, NAN}, {}, {0.5f, 0.75f}}), 0.5);
  EXPECT_TRUE(std::isnan(meanOverHeads({{NAN}, {INFINITY}})));
  EXPECT_TRUE(std::isnan(meanOverHeads({})));
}

TEST(Neighborhood, PatchSixteenSeesThePapersNine) {
  const Grid grid{14, 14, 1};
  const auto mask = neighborhoodMask(grid, 3);
  std::vector<int> seen;
  for (int j = 0; j < grid.patches(); ++j)
    if (mask[(16 + 1) * grid.tokens() + 1 + j]) seen.push_back(j);
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 15, 16, 17, 29, 30, 31}));  // MaiT §4
}

TEST(Neighborhood, FollowsItsDefinitionOnAnyGrid) {
  for (const Grid grid : {Grid{3, 5, 0}, Grid{4, 4, 1}, Grid{5, 2, 2}, Grid{1, 1, 1}})
    for (const int window : {1, 3, 5, 9}) {
      const auto mask = neighborhoodMask(grid, window);
      for (int i = 0; i < grid.tokens(); ++i)
        for (int j = 0; j < grid.tokens(); ++j) {
          const int a = i - grid.prefix, b = j - grid.prefix;
          const bool expected =
              a < 0 || b < 0 ||
              std::max(std::abs(a / grid.cols - b / grid.cols),
                       std::abs(a % grid.cols - b % grid.cols)) <= (window - 1) / 2;
          ASSERT_EQ(mask[i * grid.tokens() + j], expected) << i << " " << j << " R=" << window;
        }
    }
}

TEST(RandomMask, HasAsManyOnesPerRowAndFollowsItsSeed) {
  const Grid grid{6, 7, 2};
  const auto local = neighborhoodMask(grid, 3), drawn = randomMask(grid, 3, 11);
  EXPECT_EQ(drawn, randomMask(grid, 3, 11));
  EXPECT_NE(drawn, randomMask(grid, 3, 12));
  EXPECT_NE(drawn, local);
  for (int i = 0; i < grid.tokens(); ++i) {
    const auto begin = i * grid.tokens(), end = begin + grid.tokens();
    EXPECT_EQ(std::accumulate(drawn.begin() + begin, drawn.begin() + end, 0),
              std::accumulate(local.begin() + begin, local.begin() + end, 0));
  }
}

TEST(HeadMaskText, RoundTripsAndRefusesNonsense) {
  for (const std::string text :
       {"none", "hard:3", "hard:15", "soft:5@0.25", "soft:3@0.1", "strict:7", "random:3#77",
        "none~2", "soft:5@0.25~1", "random:3#77~3"})
    EXPECT_EQ(toText(parsed(text)), text);
  EXPECT_EQ(toText(parsed("soft")), "soft:3@0.5");
  for (const std::string text : {"", "hardest", "hard:2", "hard:0", "hard:-3", "hard:3@0.5",
                                 "soft:3@1", "soft:3@x", "none:3", "strict:3#1", "hard:99999",
                                 "hard:3~", "hard:3~-1", "hard:3~1#2", "soft~9999999999"})
    EXPECT_FALSE(headMaskFromText(text).ok()) << text;
}

std::vector<int> maskedPerLayer(const std::string& preset, int layers, int heads) {
  const auto scheme = makeMaskPreset(preset, MaskShape(std::vector<int>(layers, heads)));
  EXPECT_TRUE(scheme.ok());
  std::vector<int> counts;
  for (int l = 0; l < layers; ++l) {
    counts.push_back(0);
    for (int h = 0; h < heads; ++h)
      counts.back() += scheme->at(l, h).kind != MaskKind::None;
  }
  return counts;
}

TEST(Presets, AreThePapers) {
  EXPECT_EQ(maskedPerLayer("sch1", 24, 6), std::vector<int>(24, 1));
  std::vector<int> sch2(24, 0);
  std::fill_n(sch2.begin(), 8, 5);
  std::fill_n(sch2.begin() + 8, 12, 1);
  EXPECT_EQ(maskedPerLayer("sch2", 24, 6), sch2);
  std::vector<int> sch3(24, 0);
  std::fill_n(sch3.begin(), 21, 3);
  EXPECT_EQ(maskedPerLayer("sch3", 24, 3), sch3);
  EXPECT_EQ(makeMaskPreset("sch3", MaskShape(std::vector<int>(24, 3)))->at(0, 0).kind,
            MaskKind::Soft);
  std::vector<int> mixed(36, 1);
  std::fill_n(mixed.begin(), 12, 3);
  EXPECT_EQ(maskedPerLayer("mixed36", 36, 3), mixed);
  EXPECT_EQ(maskedPerLayer("sch2", 6, 4), (std::vector<int>{3, 3, 1, 1, 1, 0}));
  EXPECT_FALSE(makeMaskPreset("sch9", MaskShape(std::vector{3})).ok());
}

TEST(Presets, OfHierarchicalModelsCountTheirStages) {
  const auto masked = [](const MaskShape& shape) {
    const MaskScheme scheme = *makeMaskPreset("hmait", shape);
    std::vector<int> counts;
    for (int l = 0; l < scheme.layers(); ++l) {
      counts.push_back(0);
      for (const HeadMask& mask : scheme.layer(l))
        counts.back() += mask.kind == MaskKind::Hard;
    }
    return counts;
  };
  using Counts = std::vector<int>;
  EXPECT_EQ(masked(MaskShape({3, 3, 6, 6, 12, 12, 12, 24, 24})),
            (Counts{3, 3, 6, 6, 4, 4, 4, 0, 0}));
  EXPECT_EQ(masked(MaskShape({2, 2, 4})), (Counts{1, 1, 0}));  // two stages: at least one head
  EXPECT_EQ(masked(MaskShape(Counts(8, 6))),
            (Counts{6, 6, 6, 6, 2, 2, 0, 0}));  // one: a quarter each
  EXPECT_EQ(masked(MaskShape({3, 6, 6, 6}, 2)),
            (Counts{1, 0, 0, 0}));  // class attention stays open
}

TEST(MaskEdits, HaveInverses) {
  MaskScheme scheme = *makeMaskPreset("sch1", MaskShape(std::vector<int>(4, 3)));
  const MaskScheme before = scheme;
  const auto edit =
      makeMaskEdit(scheme, {{0, 0}, {2, 1}, {3, 2}}, parsed("soft:5@0.25"), "three cells");
  ASSERT_TRUE(edit.ok());
  EXPECT_EQ(edit->changes.size(), 3u);
  ASSERT_TRUE(applyMaskEdit(scheme, *edit).ok());
  EXPECT_EQ(scheme.name(), "sch1*");
  EXPECT_EQ(scheme.at(2, 1), parsed("soft:5@0.25"));
  EXPECT_EQ(scheme.firstDifference(before), 0);
  ASSERT_TRUE(applyMaskEdit(scheme, edit->inverse()).ok());
  EXPECT_EQ(scheme, before);
  EXPECT_EQ(scheme.name(), "sch1");
  EXPECT_EQ(edit->inverse().inverse(), *edit);
}

TEST(MaskEdits, LeaveOutWhatIsAlreadySoAndRefuseCellsThatDoNotExist) {
  MaskScheme scheme(2, 2);
  EXPECT_TRUE(makeMaskEdit(scheme, {{0, 0}}, HeadMask{}, "nothing")->empty());
  EXPECT_FALSE(makeMaskEdit(scheme, {{2, 0}}, parsed("hard:3"), "").ok());
  const MaskScheme before = scheme;
  MaskEdit bad{"bad", {{0, 0, {}, parsed("hard:3")}, {0, 5, {}, parsed("hard:3")}}, "", ""};
  EXPECT_FALSE(applyMaskEdit(scheme, bad).ok());
  EXPECT_EQ(scheme, before);  // all or none
}

TEST(MaskEdits, OnlyAResetMakesAHeadForget) {
  MaskScheme scheme(2, 2);
  scheme.set(0, 0, parsed("soft:3@0.5"));
  scheme.set(0, 1, parsed("hard:3"));
  const MaskScheme before = scheme;
  const auto reset = makeResetEdit(scheme, {{0, 0}, {0, 1}, {1, 1}}, "reset");
  ASSERT_TRUE(reset.ok());
  ASSERT_TRUE(applyMaskEdit(scheme, *reset).ok());
  EXPECT_EQ(toText(scheme.at(0, 0)), "soft:3@0.5~1");
  EXPECT_EQ(scheme.at(0, 1), before.at(0, 1));
  EXPECT_EQ(scheme.firstDifference(before), 0);
  EXPECT_TRUE(scheme.at(0, 0).looksLike(before.at(0, 0)));
  EXPECT_FALSE(scheme.at(0, 0).looksLike(parsed("soft:3@0.4")));
  // Painting, and taking another scheme, leave the count alone; undo takes it back.
  EXPECT_TRUE(makeMaskEdit(scheme, {{0, 0}}, parsed("soft:3@0.5"), "the same")->empty());
  EXPECT_EQ(toText(makeMaskEdit(scheme, {{0, 0}}, HeadMask{}, "")->changes[0].after), "none~1");
  EXPECT_TRUE(makeMaskEdit(scheme, before, "the same")->empty());
  ASSERT_TRUE(applyMaskEdit(scheme, reset->inverse()).ok());
  EXPECT_EQ(scheme, before);
  EXPECT_FALSE(makeResetEdit(scheme, {{2, 0}}, "").ok());
}

TEST(MaskEdits, SayWhyACellCannotBeMasked) {
  const auto refused = [](int maskable) {
    const MaskScheme scheme(MaskShape({2, 2}, maskable));
    const auto edit = makeMaskEdit(scheme, {{1, 0}}, parsed("hard:3"), "");
    EXPECT_FALSE(edit.ok());
    EXPECT_NE(edit.error().message.find(whyNotMaskable(scheme)), std::string::npos);
    return edit.ok() ? std::string() : edit.error().message;
  };
  EXPECT_EQ(refused(1), "layer 1 cannot be masked: class attention is never masked");
  EXPECT_EQ(refused(0), "layer 1 cannot be masked: this attention has no logits to mask");
  EXPECT_EQ(whyNotMaskable(MaskScheme(2, 2)), "");
}

}  // namespace
}  // namespace headlight
