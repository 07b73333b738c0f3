// SPDX-License-Identifier: GPL-3.0-or-later

// Pixels and classes move together: a drawn grid says the class of every pixel by its color.

#include "core/data/segments/SegmentAugment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/data/segments/ClassResize.h"
#include "tests/data/SegmentSupport.h"

namespace headlight {
namespace {

using test::segmentedGrid;
using test::shownClass;

Preprocessing sized(int width, int height) {
  Preprocessing preprocessing;
  preprocessing.width = width;
  preprocessing.height = height;
  preprocessing.cropFraction = 1;
  preprocessing.squash = true;
  return preprocessing;
}

struct Agreement {
  int same = 0, other = 0, padded = 0;
};

/// Pixels between two classes are neither.
Agreement agreementOf(const SegmentedImage& view) {
  Agreement found;
  for (int y = 0; y < view.image.height; ++y)
    for (int x = 0; x < view.image.width; ++x) {
      const int shown = shownClass(view.image, x, y);
      const int known = view.segments.classes[std::size_t(y) * view.image.width + x];
      if (known == kIgnoredClass || shown == kIgnoredClass) {
        EXPECT_EQ(known, shown) << "padding is ignored, and nothing else is, at " << x << ", " << y;
        ++found.padded;
      } else if (shown >= 0) {
        ++(shown == known ? found.same : found.other);
      }
    }
  return found;
}

TEST(SegmentAugment, EveryOperationMovesClassesWithThePixels) {
  const SegmentedImage whole = segmentedGrid(150, 100, 25);
  int padded = 0;
  for (const bool scales : {false, true})
    for (const double flip : {0.0, 1.0})
      for (std::uint64_t key = 0; key < 40; ++key) {
        SegmentAugmentOptions options;
        options.scales = scales;
        options.flipProbability = flip;
        const SegmentedImage view = augmentSegmented(whole, options, sized(96, 80), key);
        ASSERT_EQ(view.image.width, 96);
        ASSERT_EQ(view.image.height, 80);
        ASSERT_EQ(view.segments.width, 96);
        ASSERT_EQ(view.segments.classes.size(), 96u * 80u);
        const Agreement found = agreementOf(view);
        EXPECT_EQ(found.other, 0) << "key " << key;
        EXPECT_GT(found.same, 96 * 80 / 8) << "key " << key;
        padded += found.padded > 0;
        EXPECT_TRUE(scales || found.padded == 0) << "the short side is 96";
      }
  EXPECT_GT(padded, 5);
  EXPECT_LT(padded, 80);
}

TEST(SegmentAugment, PaddingIsAtTheRightAndBelow) {
  const SegmentedImage whole = segmentedGrid(40, 40, 10);
  SegmentAugmentOptions options;
  options.flipProbability = 1;
  std::set<int> sides;
  for (std::uint64_t key = 0; key < 200; ++key) {
    const SegmentedImage view = augmentSegmented(whole, options, sized(40, 40), key);
    int across = 0, down = 0;
    while (across < 40 && view.segments.classes[std::size_t(across)] != kIgnoredClass)
      ++across;
    while (down < 40 && view.segments.classes[std::size_t(down) * 40] != kIgnoredClass)
      ++down;
    EXPECT_EQ(across, down);
    sides.insert(across);
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 40; ++x)
        EXPECT_EQ(view.segments.classes[std::size_t(y) * 40 + x] == kIgnoredClass,
                  x >= across || y >= down);
  }
  EXPECT_EQ(sides, (std::set<int>{20, 24, 28, 32, 36, 40})) << "0.5 to 1 and more in tenths of 40";
}

TEST(SegmentAugment, AnImageOfTheSizeIsShownAsItIs) {
  const SegmentedImage whole = segmentedGrid(48, 48, 6);
  SegmentAugmentOptions options;
  options.scales = false;
  options.flipProbability = 0;
  const SegmentedImage same = augmentSegmented(whole, options, sized(48, 48), 1);
  EXPECT_EQ(*same.image.pixels, *whole.image.pixels);
  EXPECT_EQ(same.segments.classes, whole.segments.classes);
  options.flipProbability = 1;
  const SegmentedImage flipped = augmentSegmented(whole, options, sized(48, 48), 1);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 48; ++x)
      EXPECT_EQ(flipped.segments.classes[std::size_t(y) * 48 + x],
                whole.segments.classes[std::size_t(y) * 48 + 47 - x]);
  EXPECT_NE(flipped.segments.classes, whole.segments.classes);
}

TEST(SegmentAugment, TheLongSideIsAtMostFourTimesTheSize) {
  const SegmentedImage whole = segmentedGrid(400, 20, 20);  // 20 to 1
  SegmentAugmentOptions options;
  options.flipProbability = 0;
  options.scales = false;
  // The short side would be 30 and the long one 600; at most 120 by 6 remain.
  const SegmentedImage view = augmentSegmented(whole, options, sized(30, 30), 4);
  int rows = 0;
  while (rows < 30 && view.segments.classes[std::size_t(rows) * 30] != kIgnoredClass)
    ++rows;
  EXPECT_EQ(rows, 6);
}

TEST(SegmentAugment, ColorsChangeAndClassesStay) {
  const SegmentedImage whole = segmentedGrid(60, 40, 10);
  int changed = 0;
  for (std::uint64_t key = 0; key < 40; ++key) {
    SegmentAugmentOptions plain, colored;
    colored.colorJitter = 0.5;
    const SegmentedImage a = augmentSegmented(whole, plain, sized(32, 32), key);
    const SegmentedImage b = augmentSegmented(whole, colored, sized(32, 32), key);
    EXPECT_EQ(a.segments.classes, b.segments.classes) << "no other draw moves";
    changed += *a.image.pixels != *b.image.pixels;
    for (std::size_t i = 0; i < b.segments.classes.size(); ++i)
      EXPECT_TRUE(b.segments.classes[i] != kIgnoredClass ||
                  (*b.image.pixels)[3 * i] == kPaddedPixel)
          << "padding has no color";
  }
  EXPECT_GT(changed, 30);
}

TEST(SegmentAugment, TheEvaluationViewMovesClassesInEveryCropMode) {
  const SegmentedImage whole = segmentedGrid(150, 100, 25);
  for (const bool squash : {false, true})
    for (const double fraction : {1.0, 0.8}) {
      Preprocessing preprocessing = sized(96, 96);
      preprocessing.squash = squash;
      preprocessing.cropFraction = fraction;
      preprocessing.interpolation = Interpolation::Bilinear;
      const SegmentedImage view = evaluationSegmented(whole, preprocessing);
      const Agreement found = agreementOf(view);
      EXPECT_EQ(found.other + found.padded, 0);
      EXPECT_GT(found.same, 96 * 96 / 2);
    }
}

TEST(SegmentAugment, TheEvaluationViewInProportionIsPadded) {
  const SegmentedImage whole = segmentedGrid(150, 100, 25);
  Preprocessing preprocessing = sized(96, 96);
  preprocessing.pad = true;
  preprocessing.interpolation = Interpolation::Bilinear;
  const SegmentedImage view = evaluationSegmented(whole, preprocessing);
  ASSERT_EQ(view.image.width, 160);  // 144, padded
  ASSERT_EQ(view.image.height, 96);
  const Agreement found = agreementOf(view);
  EXPECT_EQ(found.padded, 16 * 96);
  EXPECT_EQ(found.other, 0);
  EXPECT_GT(found.same, 144 * 96 / 2);
}

TEST(SegmentAugment, ClassesOfAnotherSizeAreRefused) {
  SegmentedImage whole = segmentedGrid(40, 40, 10);
  whole.segments.classes.pop_back();
  EXPECT_FALSE(guarded("", [&] { augmentSegmented(whole, {}, sized(32, 32), 1); }).ok());
  EXPECT_FALSE(guarded("", [&] { evaluationSegmented(whole, sized(32, 32)); }).ok());
}

/// The class at the center of each pixel, by rational arithmetic.
TEST(ClassResize, IsTheNearestClassOfANaiveLoop) {
  const ClassImage image = segmentedGrid(37, 23, 3).segments;
  for (const auto& [width, height] : {std::pair{37, 23}, {80, 50}, {11, 9}, {1, 1}}) {
    const ClassImage made = nearestClasses(image, width, height, {0, 0, width, height});
    ASSERT_EQ(made.classes.size(), std::size_t(width) * std::size_t(height));
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int column = (2 * x + 1) * 37 / (2 * width), row = (2 * y + 1) * 23 / (2 * height);
        EXPECT_EQ(made.classes[std::size_t(y) * width + x],
                  image.classes[std::size_t(row) * 37 + column]);
      }
  }
}

TEST(ClassResize, AWindowIsAPartOfTheWhole) {
  const ClassImage image = segmentedGrid(37, 23, 3).segments;
  const ClassImage whole = nearestClasses(image, 80, 50, {0, 0, 80, 50});
  const ClassImage part = nearestClasses(image, 80, 50, {13, 7, 20, 30});
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 20; ++x)
      EXPECT_EQ(part.classes[std::size_t(y) * 20 + x],
                whole.classes[std::size_t(y + 7) * 80 + x + 13]);
}

}  // namespace
}  // namespace headlight
