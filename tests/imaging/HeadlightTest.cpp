// SPDX-License-Identifier: GPL-3.0-or-later

// The headlight: what is lit, what stays dark, and that it is what its formula says.

#include <gtest/gtest.h>

#include <cmath>

#include "core/imaging/Headlight.h"
#include "tests/imaging/TestImages.h"

namespace headlight {
namespace {

using test::paint;
using test::pixel;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Image orange(int width, int height) {
  return paint(width, height, [](int, int) { return std::array<std::uint8_t, 3>{200, 120, 40}; });
}

TEST(Headlight, LitPatchesKeepTheirColorsAndDarkOnesAreGray) {
  const Image lit = headlightImage(orange(20, 10), {0, 1}, 1, 2, {0, 1}, {}, false);
  EXPECT_EQ(pixel(lit, 15, 5), (std::array<std::uint8_t, 3>{200, 120, 40}));
  const auto dark = pixel(lit, 4, 5);
  // 0.15 of the color and 0.85 · 0.28 of its light (77·200 + 150·120 + 29·40) / 256 = 134.
  const double gray = 0.85 * 0.28 * 134;
  EXPECT_NEAR(dark[0], 0.15 * 200 + gray, 1);
  EXPECT_NEAR(dark[1], 0.15 * 120 + gray, 1);
  EXPECT_NEAR(dark[2], 0.15 * 40 + gray, 1);
}

TEST(Headlight, MoreAttentionIsNeverDarker) {
  std::vector<float> ramp(32);
  for (std::size_t i = 0; i < ramp.size(); ++i)
    ramp[i] = static_cast<float>(i) / 31;
  for (const bool warm : {false, true}) {
    const Image lit = headlightImage(orange(32, 1), ramp, 1, 32, {0, 1}, {warm, 0.85}, false);
    for (int x = 1; x < 32; ++x)
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_GE(pixel(lit, x, 0)[c], pixel(lit, x - 1, 0)[c]) << x;
  }
}

TEST(Headlight, WithoutDimmingTheImageIsAsItWas) {
  const Image image = orange(8, 8);
  EXPECT_EQ(test::maxDifference(headlightImage(image, {0, 1, 0, 1}, 2, 2, {0, 1}, {false, 0}, true),
                                image),
            0);
}

TEST(Headlight, WhatIsNoNumberStaysDark) {
  for (const bool smooth : {false, true}) {
    const auto light = resizeLight({kNan, 1, 2, 3}, 2, 2, {1, 3}, 2, 2, smooth);
    EXPECT_EQ(light[0], 0) << smooth;
    EXPECT_EQ(light[3], 255) << smooth;
  }
}

TEST(Headlight, TheRangeOfMostLeavesOutWhatOutshinesThem) {
  EXPECT_EQ(rangeOfMost({0, 1, 2, 3, 100}, 0.8).high, 3);
  EXPECT_EQ(rangeOfMost({0, 1, 2, 3, 100}, 1).high, 100);
  EXPECT_EQ(rangeOfMost({5, 5, 5, 9}, 0.5).high, 9);  // one value is no range
  EXPECT_EQ(rangeOfMost({kNan, 2, 4}, 1).low, 2);
  EXPECT_EQ(rangeOfMost({}, 0.5).high, 1);
}

TEST(Headlight, TheNegativeShareIsOfAbsoluteValues) {
  EXPECT_DOUBLE_EQ(negativeShare({-1, 3}), 0.25);
  EXPECT_DOUBLE_EQ(negativeShare({0, 0}), 0);
  EXPECT_DOUBLE_EQ(negativeShare({kNan, -2}), 1);
}

TEST(Headlight, StylesHaveNames) {
  for (const MapStyleInfo& info : mapStyles())
    EXPECT_EQ(*mapStyleFromName(info.name), info.style);
  EXPECT_NE(mapStyleFromName("sepia").error().message.find("headlight, warm, overlay"),
            std::string::npos);
}

}  // namespace
}  // namespace headlight
