// SPDX-License-Identifier: GPL-3.0-or-later

// Regions of masks: NATTEN's neighborhoods against its definitions by loops, global patches, drawn
// masks, windows in pixels, decays; and their texts.

#include "core/masks/MaskRegions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/masks/Neighborhood.h"

namespace headlight {
namespace {

HeadMask maskOf(const std::string& text) {
  const auto mask = headMaskFromText(text);
  EXPECT_TRUE(mask.ok()) << text;
  return mask ? *mask : HeadMask{};
}

/// NATTEN's reference mask, as it decides of one query and key along one axis: both in the same
/// dilation group, and the key between the start of the query's window and its end.
bool nattenSees(int query, int key, int length, int window, int dilation, int stride) {
  if (query % dilation != key % dilation) return false;
  int inGroup = 0;
  for (int i = query % dilation; i < length; i += dilation)
    ++inGroup;
  const int left = window / 2, right = window / 2 + (window % 2 - 1);
  int leader = query / dilation / stride * stride + stride / 2;
  if (leader > inGroup - 1) leader = inGroup - 1;
  int start = leader - left > 0 ? leader - left : 0;
  if (leader + right >= inGroup) start += inGroup - right - leader - 1;
  const int place = key / dilation;
  return place >= start && place < start + window;
}

/// The first of its windows of stride 1, by the formula of its first kernels, which is another.
int firstKernelsStart(int index, int length, int window, int dilation) {
  const int half = window / 2;
  if (dilation <= 1)
    return std::max(index - half, 0) + (index + half >= length ? length - index - half - 1 : 0);
  const int before = index - half * dilation;
  if (before < 0) return index % dilation;
  if (index + half * dilation < length) return before;
  const int group = index % dilation, whole = length / dilation * dilation, rest = length - whole;
  if (group < rest) return length - rest + group - 2 * half * dilation;
  return whole + group - window * dilation;
}

TEST(MaskRegions, NattenIsItsReferenceMask) {
  for (const int length : {7, 8, 14})
    for (const int window : {1, 3, 5, 7})
      for (const int dilation : {1, 2, 3})
        for (int stride = 1; stride <= window; ++stride) {
          if (window * dilation > length) continue;
          for (int query = 0; query < length; ++query) {
            const int first = nattenStart(query, length, window, dilation, stride);
            for (int key = 0; key < length; ++key) {
              const int steps = key - first;
              const bool seen = steps >= 0 && steps % dilation == 0 && steps / dilation < window;
              ASSERT_EQ(seen, nattenSees(query, key, length, window, dilation, stride))
                  << length << " " << window << " " << dilation << " " << stride << ": " << query
                  << ", " << key;
            }
          }
        }
}

TEST(MaskRegions, NattenIsItsFirstKernelsWithoutStride) {
  for (const int length : {7, 9, 14})
    for (const int window : {3, 5, 7})
      for (const int dilation : {1, 2, 3, 4})
        for (int query = 0; query < length && window * dilation <= length; ++query)
          ASSERT_EQ(nattenStart(query, length, window, dilation, 1),
                    firstKernelsStart(query, length, window, dilation))
              << length << " " << window << " " << dilation << " " << query;
}

TEST(MaskRegions, ANattenNeighborhoodIsFullEverywhereAndASquareIsNot) {
  const Grid grid{6, 7, 1};
  for (const char* text :
       {"strict:natten3", "hard:natten3d2", "soft:natten5s3", "hard:natten3s2"}) {
    const HeadMask mask = maskOf(text);
    ASSERT_TRUE(checkRegion(mask, grid, grid).ok()) << text;
    const auto ones = selectedMask(mask, grid, grid, 0);
    for (int token = 0; token < grid.tokens(); ++token) {
      int count = 0;
      for (int key = 0; key < grid.tokens(); ++key)
        count += ones[token * grid.tokens() + key];
      EXPECT_EQ(count, token == 0 ? grid.tokens() : 1 + mask.window * mask.window) << text;
      EXPECT_EQ(ones[token * grid.tokens()], 1);
    }
  }
  const auto square = selectedRow(maskOf("hard:3"), grid, grid, 0, 1);
  EXPECT_EQ(square, neighborhoodRow(grid, grid, 3, 1));
  EXPECT_EQ(std::count(square.begin(), square.end(), 1), 1 + 4);  // in the corner
}

TEST(MaskRegions, GlobalPatchesSeeAllAndAreSeen) {
  const Grid grid{4, 5, 2};
  const auto ones = selectedMask(maskOf("strict:3+0.0+3.4"), grid, grid, 0);
  const auto local = neighborhoodMask(grid, 3);
  for (int i = 0; i < grid.tokens(); ++i)
    for (int j = 0; j < grid.tokens(); ++j) {
      const bool global = i == 2 || j == 2 || i == 2 + 19 || j == 2 + 19;
      EXPECT_EQ(ones[i * grid.tokens() + j], global || local[i * grid.tokens() + j])
          << i << " " << j;
    }
}

TEST(MaskRegions, DrawingsAreOffsetsKeysOrPairs) {
  const Grid grid{3, 4, 1};
  HeadMask mask = maskOf("hard:drawnoffsets3x3=XQ");  // a cross
  for (int patch = 0; patch < 12; ++patch) {
    const auto row = selectedRow(mask, grid, grid, 0, 1 + patch);
    for (int key = 0; key < 12; ++key) {
      const int distance = std::abs(patch / 4 - key / 4) + std::abs(patch % 4 - key % 4);
      EXPECT_EQ(row[1 + key], distance <= 1) << patch << " " << key;
    }
  }
  DrawnMask drawn{DrawnForm::Keys, 3, 4, {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  mask.region.drawn = std::make_shared<const DrawnMask>(drawn);
  for (int patch = 0; patch < 12; ++patch)
    EXPECT_EQ(selectedRow(mask, grid, grid, 0, 1 + patch),
              (std::vector<std::uint8_t>{1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
  drawn = {DrawnForm::Pairs, 12, 12, std::vector<std::uint8_t>(144)};
  for (int i = 0; i < 12; ++i)
    drawn.ones[i * 12 + (i * 5) % 12] = 1;
  mask.region.drawn = std::make_shared<const DrawnMask>(drawn);
  for (int patch = 0; patch < 12; ++patch) {
    const auto row = selectedRow(mask, grid, grid, 0, 1 + patch);
    EXPECT_EQ(std::count(row.begin(), row.end(), 1), 2);
    EXPECT_EQ(row[1 + patch * 5 % 12], 1);
  }
}

TEST(MaskRegions, AWindowInPixelsShrinksWithTheStride) {
  const HeadMask mask = maskOf("hard:48px");
  EXPECT_EQ(inPatches(mask, 4).window, 13);
  EXPECT_EQ(inPatches(mask, 8).window, 7);
  EXPECT_EQ(inPatches(mask, 16).window, 3);
  EXPECT_EQ(inPatches(mask, 32).window, 1);
  EXPECT_FALSE(inPatches(mask, 16).region.inPixels);
  EXPECT_EQ(inPatches(maskOf("hard:5"), 16).window, 5);
  EXPECT_EQ(inPatches(maskOf("hard:natten48pxs9"), 16).region.stride, 3);
}

TEST(MaskRegions, ADecayIsThePowerOfTheManhattanDistance) {
  const Grid grid{3, 5, 1};
  const auto logits = decayLogits(0.8, grid, grid);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      const int a = i - 1, b = j - 1;
      const int distance = i == 0 || j == 0 ? 0 : std::abs(a / 5 - b / 5) + std::abs(a % 5 - b % 5);
      EXPECT_NEAR(std::exp(logits[i * 16 + j]), std::pow(0.8, distance), 1e-12) << i << " " << j;
    }
}

TEST(MaskRegions, WhatDoesNotFitIsRefusedWithTheSizes) {
  const Grid grid{7, 7, 0};
  const auto whyNot = [&](const std::string& text) {
    const auto fits = checkRegion(maskOf(text), grid, grid);
    return fits ? std::string() : fits.error().message;
  };
  EXPECT_EQ(whyNot("strict:natten3d2"), "");
  EXPECT_NE(whyNot("strict:natten3d3").find("needs 9 patches a side"), std::string::npos);
  EXPECT_NE(whyNot("hard:natten9").find("7 × 7"), std::string::npos);
  EXPECT_EQ(whyNot("hard:9"), "");
  EXPECT_NE(whyNot("hard:3+7.0").find("7.0"), std::string::npos);
  EXPECT_NE(whyNot("hard:drawnkeys1x1=g").find("1 × 1"), std::string::npos);
  EXPECT_NE(whyNot("hard:drawnpairs1x1=g").find("49 × 49"), std::string::npos);
  // Only the key to the right: the last column would see nothing.
  EXPECT_NE(whyNot("strict:drawnoffsets3x3=BA").find("see nothing"), std::string::npos);
  EXPECT_EQ(whyNot("hard:drawnoffsets3x3=BA"), "");
  EXPECT_EQ(whyNot("decay:0.5"), "");
}

TEST(MaskRegions, TextsComeBack) {
  for (const char* text :
       {"decay:0.9", "decay:1", "decay:0.25~2", "strict:natten7", "hard:natten7d2",
        "soft:natten7s3@0.25", "strict:natten5d3s2~1", "hard:48px", "soft:natten48pxd2@0.5",
        "hard:3+0.0", "strict:natten3+0.0+12.7", "hard:drawnoffsets3x3=XQ",
        "soft:drawnkeys1x1=g@0.5", "strict:drawnpairs1x1=g~3"}) {
    const auto mask = headMaskFromText(text);
    ASSERT_TRUE(mask.ok()) << text << ": " << mask.error().text();
    EXPECT_EQ(toText(*mask), text);
    EXPECT_EQ(*mask, *headMaskFromText(toText(*mask))) << text;
  }
  EXPECT_EQ(maskOf("decay").gamma, 0.9);
  EXPECT_EQ(shortText(maskOf("hard:drawnoffsets3x3=XQ")), "hard: drawn, 3 x 3 offsets");
  EXPECT_FALSE(maskOf("hard:natten3") == maskOf("hard:3"));
  EXPECT_FALSE(maskOf("hard:natten3") == maskOf("hard:natten3d2"));
  EXPECT_FALSE(maskOf("decay:0.5") == maskOf("decay:0.6"));
}

TEST(MaskRegions, BadTextsAreRefusedWithWhatIsWrong) {
  const auto refusal = [](const std::string& text) {
    const auto mask = headMaskFromText(text);
    EXPECT_FALSE(mask.ok()) << text;
    return mask.ok() ? std::string() : mask.error().message;
  };
  for (const char* text : {"decay:0", "decay:-0.5", "decay:1.01", "decay:nan", "decay:1e-400"})
    EXPECT_NE(refusal(text).find("γ"), std::string::npos) << text;
  for (const char* text : {"decay:", "decay:0.5@0.5", "decay:0.5#1", "decay:natten3", "decays"})
    EXPECT_NE(refusal(text).find("decay"), std::string::npos) << text;
  EXPECT_NE(refusal("hard:natten4").find("odd"), std::string::npos);
  EXPECT_NE(refusal("hard:3d2").find("only a natten"), std::string::npos);
  EXPECT_NE(refusal("hard:natten3d0").find("dilation"), std::string::npos);
  EXPECT_NE(refusal("hard:natten3s0").find("stride"), std::string::npos);
  EXPECT_NE(refusal("hard:natten3s4").find("stride"), std::string::npos);
  EXPECT_NE(refusal("random:natten3#1").find("random"), std::string::npos);
  EXPECT_NE(refusal("random:3+0.0").find("random"), std::string::npos);
  EXPECT_NE(refusal("none:natten3").find("none"), std::string::npos);
  EXPECT_NE(refusal("hard:drawnoffsets2x3=A").find("odd"), std::string::npos);
  EXPECT_NE(refusal("hard:drawnoffsets3x3=AA").find("empty"), std::string::npos);
  EXPECT_NE(refusal("hard:drawnoffsets3x3=XQX").find("another number"), std::string::npos);
  EXPECT_NE(refusal("hard:drawnoffsets3x3=X!").find("cannot be read"), std::string::npos);
  EXPECT_NE(refusal("hard:drawnoffsets3x3=X_").find("cannot be read"), std::string::npos);
  EXPECT_NE(refusal("hard:drawnkeys9999x9999=AA").find("4096"), std::string::npos);
  EXPECT_NE(refusal("hard:drawn").find("import a PNG"), std::string::npos);
}

TEST(MaskRegions, SelectedPatchesAreAboutWhatARowSelects) {
  EXPECT_EQ(selectedPatches(maskOf("hard:natten7d2")), 49);
  EXPECT_EQ(selectedPatches(maskOf("hard:drawnoffsets3x3=XQ")), 5);
  EXPECT_EQ(selectedPatches(maskOf("hard:3+0.0")), 9 + 2);
}

}  // namespace
}  // namespace headlight
