// SPDX-License-Identifier: GPL-3.0-or-later

// Random crops, flips and colors: reproducible, of the right size, and harmless when switched off.

#include "core/data/Augment.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/data/Support.h"

namespace headlight {
namespace {

using test::gradientImage;

Preprocessing sized(int height, int width, double crop = 1.0) {
  Preprocessing preprocessing;
  preprocessing.height = height;
  preprocessing.width = width;
  preprocessing.cropFraction = crop;
  return preprocessing;
}

TEST(Augment, IsAFunctionOfItsKey) {
  const Image image = gradientImage(60, 40);
  AugmentOptions options;
  options.colorJitter = 0.3;
  std::set<std::string> views;
  for (std::uint64_t key = 0; key < 20; ++key) {
    const Image view = augmentedView(image, options, sized(24, 32), key);
    EXPECT_EQ(view.width, 32);
    EXPECT_EQ(view.height, 24);
    EXPECT_EQ(*view.pixels, *augmentedView(image, options, sized(24, 32), key).pixels);
    views.emplace(view.pixels->begin(), view.pixels->end());
  }
  EXPECT_EQ(views.size(), 20u);
}

TEST(Augment, SwitchedOffIsTheEvaluationView) {
  AugmentOptions options;
  options.enabled = false;
  const Image image = gradientImage(60, 40);
  const auto preprocessing = sized(24, 24, 0.9);
  EXPECT_EQ(*augmentedView(image, options, preprocessing, 1).pixels,
            *evaluationView(image, preprocessing).pixels);
  const Image fitting = gradientImage(24, 24);
  EXPECT_EQ(augmentedView(fitting, options, sized(24, 24), 1).pixels, fitting.pixels)
      << "passed on, not copied";
  EXPECT_NE(augmentedView(fitting, options, preprocessing, 1).pixels, fitting.pixels);
}

TEST(Augment, FlipsExactly) {
  AugmentOptions options;
  options.minScale = 1;
  options.minRatio = 1;
  options.flipProbability = 1;
  const Image image = gradientImage(16, 16);
  const Image view = augmentedView(image, options, sized(16, 16), 5);
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x)
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(view.row(y)[3 * x + c], image.row(y)[3 * (15 - x) + c]);
  options.flipProbability = 0;
  EXPECT_EQ(*augmentedView(image, options, sized(16, 16), 5).pixels, *image.pixels);
}

TEST(Augment, FlipsAboutHalfOfTheImages) {
  AugmentOptions options;
  options.minScale = 1;
  options.minRatio = 1;
  const Image image = gradientImage(16, 16);
  int flipped = 0;
  for (std::uint64_t key = 0; key < 400; ++key)
    flipped += *augmentedView(image, options, sized(16, 16), key).pixels != *image.pixels;
  EXPECT_NEAR(flipped, 200, 50);  // five standard deviations
}

TEST(Augment, CropsKeepToTheirShareOfTheArea) {
  // Left to right the red of this image rises by 1 a pixel: a crop's width is its range.
  AugmentOptions options;
  options.minScale = 0.5;
  options.minRatio = 1;
  options.flipProbability = 0;
  const Image image = gradientImage(255, 255);
  for (std::uint64_t key = 0; key < 100; ++key) {
    const Image view = augmentedView(image, options, sized(51, 51), key);
    const double width = view.row(25)[3 * 50] - view.row(25)[0];
    EXPECT_GT(width, 255 * 0.70 * 50 / 51 - 6) << key;  // √0.5 = 0.707
    EXPECT_LE(width, 255) << key;
  }
}

TEST(Augment, TakesImagesOfAnyShape) {
  AugmentOptions options;
  options.colorJitter = 1.0;
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 300}, {300, 1}, {2, 3}}) {
    for (std::uint64_t key = 0; key < 10; ++key) {
      const Image view = augmentedView(gradientImage(width, height), options, sized(16, 16), key);
      EXPECT_EQ(view.pixels->size(), 16u * 16u * 3u);
    }
  }
}

TEST(Augment, JitterChangesColorsAndKeepsGrayGray) {
  AugmentOptions options;
  options.minScale = 1;
  options.minRatio = 1;
  options.flipProbability = 0;
  options.colorJitter = 0.5;
  const Image gray = test::solidImage(8, 8, {120, 120, 120});
  std::set<int> levels;
  for (std::uint64_t key = 0; key < 20; ++key) {
    const Image view = augmentedView(gray, options, sized(8, 8), key);
    EXPECT_NEAR(view.row(0)[0], view.row(0)[1], 1);
    EXPECT_NEAR(view.row(0)[1], view.row(0)[2], 1);
    EXPECT_GE(view.row(0)[0], 58);   // 120 × 0.5
    EXPECT_LE(view.row(0)[0], 182);  // 120 × 1.5
    levels.insert(view.row(0)[0]);
  }
  EXPECT_GT(levels.size(), 10u);
}

TEST(Augment, RandAugmentTakesThePlaceOfJitter) {
  AugmentOptions options;
  options.randAugment = valueOrThrow(randAugmentFromText("rand-m9-mstd0.5-inc1"));
  const Image image = gradientImage(60, 40);
  AugmentOptions jittered = options;
  jittered.colorJitter = 0.5;
  int changed = 0;
  for (std::uint64_t key = 0; key < 20; ++key) {
    const Image view = augmentedView(image, options, sized(24, 24), key);
    EXPECT_EQ(*view.pixels, *augmentedView(image, jittered, sized(24, 24), key).pixels);
    changed += *view.pixels != *augmentedView(image, {}, sized(24, 24), key).pixels;
  }
  EXPECT_GT(changed, 8);
  EXPECT_LT(changed, 20) << "and crop and flip are as without it";
}

TEST(Augment, RandomInterpolationIsEitherOfTwo) {
  AugmentOptions options, plain;
  options.randomInterpolation = true;
  const Image image = gradientImage(60, 40);
  auto bilinear = sized(24, 24), bicubic = sized(24, 24);
  bilinear.interpolation = Interpolation::Bilinear;
  int smooth = 0;
  for (std::uint64_t key = 0; key < 100; ++key) {
    const auto pixels = *augmentedView(image, options, bicubic, key).pixels;
    const bool isSmooth = pixels == *augmentedView(image, plain, bilinear, key).pixels;
    EXPECT_TRUE(isSmooth || pixels == *augmentedView(image, plain, bicubic, key).pixels);
    smooth += isSmooth;
  }
  EXPECT_NEAR(smooth, 50, 25);  // five standard deviations
}

}  // namespace
}  // namespace headlight
