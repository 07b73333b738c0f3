// SPDX-License-Identifier: GPL-3.0-or-later

// Boxes move with the pixels: a drawn rectangle is found again where its box says.

#include "core/data/boxes/BoxAugment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/Random.h"
#include "core/data/augment/ColorDistortion.h"
#include "core/data/boxes/BatchSide.h"
#include "core/data/boxes/BoxCrop.h"
#include "core/data/boxes/BoxGeometry.h"
#include "tests/data/BoxSupport.h"

namespace headlight {
namespace {

using test::boxedRectangles;
using test::expectShown;

Preprocessing square(int side) {
  Preprocessing preprocessing;
  preprocessing.width = preprocessing.height = side;
  preprocessing.cropFraction = 1;
  return preprocessing;
}

TEST(BoxAugment, EveryOperationMovesBoxesWithThePixels) {
  const BoxedImage whole = boxedRectangles(90, 60, {{8, 6, 30, 20}, {50, 30, 32, 22}});
  int cropped = 0, one = 0;
  for (const bool crop : {false, true})
    for (const double flip : {0.0, 1.0})
      for (std::uint64_t key = 0; key < 60; ++key) {
        BoxAugmentOptions options;
        options.crop = crop;
        options.flipProbability = flip;
        options.randomInterpolation = key % 2 == 1;
        const BoxedImage view = augmentBoxed(whole, options, square(96), key);
        ASSERT_EQ(view.image.width, 96);
        ASSERT_EQ(view.image.height, 96);
        expectShown(view);
        cropped += crop && view.boxes.size() == 2 && view.boxes[0].box.width > 33;
        one += view.boxes.size() == 1;
      }
  EXPECT_GT(cropped, 5);
  EXPECT_GT(one, 5);
}

TEST(BoxAugment, AFlipMirrorsAndAResizeStretches) {
  const BoxedImage whole = boxedRectangles(90, 60, {{9, 6, 30, 20}});
  BoxAugmentOptions options;
  options.crop = false;
  options.flipProbability = 1;
  const LabeledBoxes boxes = augmentBoxed(whole, options, square(180), 3).boxes;
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_EQ(boxes[0].box, (PixelBox{(90 - 39) * 2.0, 18, 60, 60}));
  EXPECT_DOUBLE_EQ(boxes[0].area, 30 * 20 * 6);
  EXPECT_EQ(boxes[0].label, whole.boxes[0].label);
}

TEST(BoxAugment, ColorsChangeAndBoxesStay) {
  const BoxedImage whole = boxedRectangles(40, 40, {{5, 5, 20, 20}});
  BoxAugmentOptions options;
  options.crop = false;
  options.flipProbability = 0;
  int changed = 0;
  for (std::uint64_t key = 0; key < 40; ++key) {
    options.colorJitter = 0.5;
    const BoxedImage view = augmentBoxed(whole, options, square(40), key);
    EXPECT_EQ(view.boxes, whole.boxes);
    changed += *view.image.pixels != *whole.image.pixels;
  }
  EXPECT_GT(changed, 30);
  EXPECT_LT(changed, 40) << "each of four operations has a half: a sixteenth stays as it is";
}

TEST(BoxAugment, WhatIsSwitchedOnMovesNoOtherDraw) {
  const BoxedImage whole = boxedRectangles(90, 60, {{8, 6, 30, 20}, {50, 30, 32, 22}});
  for (std::uint64_t key = 0; key < 20; ++key) {
    BoxAugmentOptions plain, colored;
    colored.colorJitter = 0.5;
    colored.randomInterpolation = true;
    EXPECT_EQ(augmentBoxed(whole, plain, square(64), key).boxes,
              augmentBoxed(whole, colored, square(64), key).boxes);
  }
}

TEST(BoxAugment, TheEvaluationViewMovesBoxesInEveryCropMode) {
  const BoxedImage whole = boxedRectangles(90, 60, {{8, 6, 30, 20}, {50, 30, 32, 22}});
  for (const bool squash : {false, true})
    for (const double fraction : {1.0, 0.8}) {
      Preprocessing preprocessing = square(96);
      preprocessing.squash = squash;
      preprocessing.cropFraction = fraction;
      const BoxedImage view = evaluationBoxed(whole, preprocessing);
      ASSERT_EQ(view.boxes.size(), 2u);
      expectShown(view);
    }
}

TEST(BoxAugment, AnImageThatIsSquashedKeepsItsBoxesExactly) {
  const BoxedImage whole = boxedRectangles(64, 32, {{8, 4, 16, 8}});
  Preprocessing preprocessing = square(64);
  preprocessing.squash = true;
  const LabeledBoxes boxes = evaluationBoxed(whole, preprocessing).boxes;
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_EQ(boxes[0].box, (PixelBox{8, 8, 16, 16}));
}

TEST(BoxGeometry, BoxesBeyondTheImageAreClipped) {
  const LabeledBoxes boxes{{{-10, -5, 20, 20}, 1, 400, false}, {{200, 0, 5, 5}, 0, 25, false}};
  const LabeledBoxes seen = boxesInView(boxes, {0, 0, 100, 50}, 100, 50);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].box, (PixelBox{0, 0, 10, 15}));
  EXPECT_DOUBLE_EQ(seen[0].area, 150);
}

TEST(BoxGeometry, NothingIsLearnedFromCrowdsAndBoxesWithoutArea) {
  const LabeledBoxes boxes{{{0, 0, 9, 9}, 0, 81, true},
                           {{0, 0, 0, 9}, 0, 9, false},
                           {{0, 0, 9, 9}, 0, 0, false},
                           {{1, 1, 9, 9}, 2, 60, false}};
  EXPECT_EQ(learnableBoxes(boxes), (LabeledBoxes{boxes[3]}));
}

TEST(BoxCrop, CropsHaveTheRecipesShapesAndKeepAnObject) {
  const LabeledBoxes boxes = boxedRectangles(200, 100, {{10, 10, 40, 30}, {120, 40, 60, 50}}).boxes;
  int wholes = 0;
  double least = 1;
  for (std::uint64_t key = 0; key < 700; ++key) {
    RandomStream draw(key);
    const PixelBox crop = randomBoxCrop(draw, 200, 100, boxes);
    EXPECT_EQ(crop.x, std::floor(crop.x));
    EXPECT_TRUE(crop.x >= 0 && crop.y >= 0 && crop.x + crop.width <= 200 &&
                crop.y + crop.height <= 100);
    EXPECT_FALSE(boxesInCrop(boxes, crop).empty());
    const double aspect = crop.width / 200 / (crop.height / 100);
    EXPECT_TRUE(aspect > 0.47 && aspect < 2.1) << aspect;
    least = std::min(least, std::sqrt(crop.area() / 20000));
    wholes += crop == PixelBox{0, 0, 200, 100};
  }
  EXPECT_TRUE(least > 0.27 && least < 0.35) << least;
  // "None" is drawn first in a seventh of all cases, and before one that fits in more.
  EXPECT_GT(wholes, 90);
  EXPECT_LT(wholes, 350);
}

TEST(BoxCrop, WithoutBoxesTheImageStaysWhole) {
  RandomStream draw(1);
  EXPECT_EQ(randomBoxCrop(draw, 20, 10, {}), (PixelBox{0, 0, 20, 10}));
}

TEST(BoxCrop, ABoxWhoseCenterIsOutsideIsLeftOut) {
  const LabeledBoxes boxes{{{0, 0, 20, 20}, 0, 400, false}, {{8, 0, 40, 20}, 1, 800, false}};
  const LabeledBoxes kept = boxesInCrop(boxes, {5, 5, 20, 10});
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].box, (PixelBox{0, 0, 15, 10}));
}

TEST(ColorDistortion, AThirdOfATurnMakesRedGreen) {
  EditedImage image{2, 1, {200, 20, 20, 90, 90, 90}};
  shiftHue(image, 1.0 / 3);
  EXPECT_EQ(image.pixels, (std::vector<std::uint8_t>{20, 200, 20, 90, 90, 90}));
  shiftHue(image, -1.0 / 3);
  EXPECT_EQ(image.pixels, (std::vector<std::uint8_t>{200, 20, 20, 90, 90, 90}));
}

TEST(ColorDistortion, AWholeTurnChangesNothing) {
  EditedImage image{16, 16, {}};
  for (int i = 0; i < 16 * 16 * 3; ++i)
    image.pixels.push_back(static_cast<std::uint8_t>(i * 37 % 256));
  const auto before = image.pixels;
  shiftHue(image, 1);
  EXPECT_EQ(image.pixels, before);
}

TEST(BatchSide, SidesAreMultiplesOf32AroundTheModels) {
  EXPECT_EQ(batchSides(320), (std::vector<int>{256, 288, 320, 352, 384}));
  EXPECT_EQ(batchSides(416), (std::vector<int>{352, 384, 416, 448, 480}));
  EXPECT_EQ(batchSides(96), std::vector<int>{96});
  EXPECT_EQ(batchSides(48), std::vector<int>{48});
}

TEST(BatchSide, EverySideIsDrawnAlike) {
  std::vector<int> counts(5);
  for (std::uint64_t key = 0; key < 1000; ++key)
    ++counts.at(static_cast<std::size_t>((sideOfBatch(320, streamKey({key})) - 256) / 32));
  for (const int count : counts)
    EXPECT_NEAR(count, 200, 60);
}

}  // namespace
}  // namespace headlight
