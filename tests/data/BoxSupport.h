// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rectangles that are found again in what is made of their images.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/data/Rectangles.h"

namespace headlight::test {

/// The bounds of the pixels that have half of a rectangle's color or more.
inline PixelBox boundsOf(const Image& image, int rectangle) {
  int left = image.width, top = image.height, right = -1, bottom = -1;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (image.row(y)[3 * x + rectangle] >= 125) {
        left = std::min(left, x);
        top = std::min(top, y);
        right = std::max(right, x);
        bottom = std::max(bottom, y);
      }
  return {double(left), double(top), double(right - left + 1), double(bottom - top + 1)};
}

/// Every box is, within a pixel at each side, where its rectangle is.
inline void expectShown(const BoxedImage& view) {
  for (const LabeledBox& box : view.boxes) {
    const PixelBox found = boundsOf(view.image, box.label);
    EXPECT_NEAR(found.x, box.box.x, 1);
    EXPECT_NEAR(found.y, box.box.y, 1);
    EXPECT_NEAR(found.x + found.width, box.box.x + box.box.width, 1);
    EXPECT_NEAR(found.y + found.height, box.box.y + box.box.height, 1);
  }
}

}  // namespace headlight::test
