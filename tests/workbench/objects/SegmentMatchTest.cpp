// SPDX-License-Identifier: GPL-3.0-or-later

// Marked patches beside true classes: their IoU and the classes' boxes, counted by hand.

#include "core/workbench/objects/SegmentMatch.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace headlight {
namespace {

constexpr std::uint8_t kUnknownPixel = kIgnoredClass;

/// 4 x 4 pixels, of which a model of 4 x 4 pixels sees all.
ClassImage smallTruth() {
  return {4,
          4,
          {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, kUnknownPixel, kUnknownPixel, kUnknownPixel,
           kUnknownPixel}};
}

ModelConfig smallView() {
  ModelConfig model;
  model.imageSize = 4;
  model.cropFraction = 1;
  return model;
}

TEST(SegmentMatch, BoxesLieAroundClasses) {
  const LabeledBoxes boxes = boxesOfClasses(smallTruth());
  ASSERT_EQ(boxes.size(), 2u);
  EXPECT_EQ(boxes[0].box, (PixelBox{0, 0, 3, 3}));
  EXPECT_EQ(boxes[0].label, 0);
  EXPECT_EQ(boxes[0].area, 7);
  EXPECT_EQ(boxes[1].box, (PixelBox{2, 0, 2, 3}));
  EXPECT_EQ(boxes[1].area, 5);
  EXPECT_TRUE(boxesOfClasses({2, 1, {kUnknownPixel, kUnknownPixel}}).empty());
}

TEST(SegmentMatch, TheClassThatFitsBestCounts) {
  const Grid grid{2, 2, 0, 0};
  const auto match = [&](const std::vector<char>& marked) {
    return bestTrueClass(marked, grid, smallTruth(), smallView());
  };
  EXPECT_EQ(match({1, 0, 0, 0}).label, 0);
  EXPECT_DOUBLE_EQ(match({1, 0, 0, 0}).overlap, 4 / 7.0);
  EXPECT_EQ(match({0, 1, 0, 0}).label, 1);
  EXPECT_DOUBLE_EQ(match({0, 1, 0, 0}).overlap, 4 / 5.0);
  // Pixels without a class count nowhere: the lower left patch has two with one.
  EXPECT_DOUBLE_EQ(match({1, 0, 1, 0}).overlap, 6 / 7.0);
  EXPECT_DOUBLE_EQ(match({1, 1, 1, 1}).overlap, 7 / 12.0);
  EXPECT_DOUBLE_EQ(match({0, 0, 0, 0}).overlap, 0);
  EXPECT_EQ(bestTrueClass({1, 1, 1, 1}, grid, {1, 1, {kUnknownPixel}}, smallView()).label, -1);
}

TEST(SegmentMatch, WhatTheModelDoesNotSeeIsNotMarked) {
  // The model sees the middle square of an image that is twice as wide as high.
  const ClassImage truth{4, 2, {0, 0, 0, 0, 0, 0, 0, 0}};
  const TrueClassMatch match = bestTrueClass({1}, {1, 1, 0, 0}, truth, smallView());
  EXPECT_DOUBLE_EQ(match.overlap, 0.5);
}

TEST(SegmentMatch, IsSaidInWords) {
  EXPECT_EQ(maskMatchText({0.412, 1}, {"sea", "sky"}), "mask IoU 0.41 with sky");
  EXPECT_EQ(maskMatchText({}, {"sea"}), "");
}

}  // namespace
}  // namespace headlight
