// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "core/imaging/Preprocess.h"
#include "tests/imaging/TestImages.h"

namespace headlight {
namespace {

using test::paint;
using test::pattern;
using test::pixel;

TEST(Preprocess, normalizesAsTorchvision) {
  Preprocessing preprocessing;
  preprocessing.height = 2;
  preprocessing.width = 3;
  preprocessing.mean = {0.5f, 0.25f, 0.0f};
  preprocessing.deviation = {0.5f, 0.5f, 2.0f};
  const Image view = paint(3, 2, [](int x, int y) {
    return std::array<std::uint8_t, 3>{std::uint8_t(100 * x), std::uint8_t(255 * y), 51};
  });
  const std::vector<float> planes = normalize(view, preprocessing);
  ASSERT_EQ(planes.size(), 18u);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) {
      const std::size_t at = static_cast<std::size_t>(y * 3 + x);
      EXPECT_NEAR(planes[at], (100 * x / 255.0 - 0.5) / 0.5, 1e-6);
      EXPECT_NEAR(planes[6 + at], (y - 0.25) / 0.5, 1e-6);
      EXPECT_NEAR(planes[12 + at], 0.2 / 2, 1e-6);
    }
  EXPECT_THROW(normalize(pattern(4, 4), preprocessing), Failure);
}

TEST(Preprocess, isViewThenNormalize) {
  const Image image = pattern(300, 200);
  const Preprocessing preprocessing;
  EXPECT_EQ(preprocess(image, preprocessing),
            normalize(evaluationView(image, preprocessing), preprocessing));
}

/// The named region of the original, resized, is the view: the corners carry the same colors.
TEST(Preprocess, regionIsWhatTheViewShows) {
  const Image image = paint(500, 375, [](int x, int y) {
    return std::array<std::uint8_t, 3>{std::uint8_t(x / 2), std::uint8_t(y / 2), 0};
  });
  const Preprocessing preprocessing;
  const Image view = evaluationView(image, preprocessing);
  const auto [left, top, width, height] = evaluationRegion(500, 375, preprocessing);
  EXPECT_NEAR(width, height, 1);
  EXPECT_NEAR(width, 224 / 248.0 * 375, 1e-9 + 1);
  EXPECT_NEAR(left + width / 2, 250, 1);
  EXPECT_NEAR(top + height / 2, 187.5, 1);
  for (const int at : {4, 100, 220}) {
    const double x = left + (at + 0.5) / 224 * width;
    const double y = top + (at + 0.5) / 224 * height;
    EXPECT_NEAR(pixel(view, at, at)[0], (x - 0.5) / 2, 1.0);
    EXPECT_NEAR(pixel(view, at, at)[1], (y - 0.5) / 2, 1.0);
  }
}

TEST(Preprocess, viewsThatAreNotSquareCoverBothSides) {
  Preprocessing preprocessing;
  preprocessing.height = 96;
  preprocessing.width = 224;
  for (const auto& [width, height] : {std::pair{640, 480}, {100, 900}, {900, 100}}) {
    const Image view = evaluationView(pattern(width, height), preprocessing);
    EXPECT_EQ(view.width, 224);
    EXPECT_EQ(view.height, 96);
    const auto region = evaluationRegion(width, height, preprocessing);
    EXPECT_GE(region[0], -1e-9);
    EXPECT_GE(region[1], -1e-9);
    EXPECT_LE(region[0] + region[2], width + 1e-9);
    EXPECT_LE(region[1] + region[3], height + 1e-9);
  }
}

TEST(Preprocess, refusesNonsense) {
  const Image image = pattern(20, 20);
  Preprocessing bad;
  for (const double crop : {0.0, -1.0, 1.5, std::nan("")}) {
    bad.cropFraction = crop;
    EXPECT_THROW(evaluationView(image, bad), Failure) << crop;
  }
  bad = {};
  bad.width = 0;
  EXPECT_THROW(evaluationView(image, bad), Failure);
  EXPECT_THROW(evaluationView(Image{}, Preprocessing{}), Failure);
  EXPECT_THROW(resize(image, 0, 5, Interpolation::Bicubic), Failure);
  EXPECT_THROW(resize(image, 100000, 100000, Interpolation::Bicubic), Failure);
  EXPECT_THROW(resizeBox(image, {0, 0, 21, 20}, 5, 5, Interpolation::Bicubic), Failure);
  EXPECT_THROW(resizeBox(image, {5, 5, 5, 9}, 5, 5, Interpolation::Bicubic), Failure);
  EXPECT_THROW(resizeBox(image, {0, 0, std::nan(""), 9}, 5, 5, Interpolation::Bicubic), Failure);
}

TEST(Resize, sameSizeIsTheSameImage) {
  const Image image = pattern(31, 17);
  EXPECT_EQ(resize(image, 31, 17, Interpolation::Bicubic).pixels, image.pixels);
  const Image copied = resizeBox(image, {0, 0, 31, 17}, 31, 17, Interpolation::Bicubic);
  EXPECT_EQ(test::maxDifference(copied, image), 0);
}

TEST(Resize, aBoxIsTheCutOutPart) {
  const Image image = pattern(64, 48);
  const Image cut = paint(32, 24, [&](int x, int y) { return pixel(image, x + 8, y + 16); });
  const Image box = resizeBox(image, {8, 16, 40, 40}, 32, 24, Interpolation::Bilinear);
  EXPECT_EQ(test::maxDifference(box, cut), 0);
}

/// Exact weights for these would take gigabytes; the nearest pixel serves.
TEST(Resize, absurdStripsTakeLittleMemory) {
  const auto pixels = std::make_shared<std::vector<std::uint8_t>>(60'000'000, std::uint8_t{77});
  for (const Image& strip : {Image{20'000'000, 1, pixels}, Image{1, 20'000'000, pixels}}) {
    const Image small = resize(strip, 224, 224, Interpolation::Bicubic);
    EXPECT_EQ(pixel(small, 223, 223)[2], 77);
    const Image view = evaluationView(strip, Preprocessing{});
    EXPECT_EQ(pixel(view, 10, 200)[0], 77);
  }
}

TEST(Preprocess, figuresHaveTheOriginalsPixelsOfTheSameRegion) {
  const Image image = pattern(200, 120);
  Preprocessing preprocessing;
  preprocessing.height = preprocessing.width = 24;
  preprocessing.cropFraction = 0.8;  // 96 × 96 in the middle
  const Image pixels = evaluationPixels(image, preprocessing);
  ASSERT_EQ(pixels.width, 96);
  ASSERT_EQ(pixels.height, 96);
  const Image cut = paint(96, 96, [&](int x, int y) { return pixel(image, x + 52, y + 12); });
  EXPECT_LE(test::maxDifference(pixels, cut), 1);
  EXPECT_EQ(evaluationPixels(image, preprocessing, 48).width, 48);
  // Of a smaller original: as the model sees it.
  const Image small = pattern(20, 20);
  EXPECT_EQ(*evaluationPixels(small, preprocessing).pixels,
            *evaluationView(small, preprocessing).pixels);
}

/// timm's crop_mode "squash": both sides to size / crop, proportions lost; at 1 the whole image.
TEST(Preprocess, squashedImagesAreWhole) {
  const Image image = pattern(40, 30);
  Preprocessing preprocessing;
  preprocessing.height = preprocessing.width = 24;
  preprocessing.cropFraction = 1;
  preprocessing.squash = true;
  const Image view = evaluationView(image, preprocessing);
  EXPECT_EQ(*view.pixels, *resize(image, 24, 24, Interpolation::Bicubic).pixels);
  EXPECT_EQ(evaluationRegion(40, 30, preprocessing), (std::array<double, 4>{0, 0, 40, 30}));

  preprocessing.cropFraction = 0.75;  // 32 × 32, of which the middle
  const auto region = evaluationRegion(40, 30, preprocessing);
  EXPECT_DOUBLE_EQ(region[0], 4 * 40 / 32.0);
  EXPECT_DOUBLE_EQ(region[1], 4 * 30 / 32.0);
  EXPECT_DOUBLE_EQ(region[2], 24 * 40 / 32.0);
}

/// Mask2Former's validation: whole, in proportion, the rest of multiples of 32 pixels padded.
TEST(Preprocess, paddedImagesKeepTheirProportions) {
  const Image image = pattern(40, 30);
  Preprocessing preprocessing;
  preprocessing.height = preprocessing.width = 64;
  preprocessing.pad = true;
  const PaddedSize size = paddedSize(40, 30, preprocessing);
  EXPECT_EQ(size.width, 85);  // 64 / 30 · 40
  EXPECT_EQ(size.height, 64);
  EXPECT_EQ(size.wholeWidth, 96);
  EXPECT_EQ(size.wholeHeight, 64);
  const Image view = evaluationView(image, preprocessing);
  ASSERT_EQ(view.width, 96);
  ASSERT_EQ(view.height, 64);
  const Image shown = resize(image, 85, 64, Interpolation::Bicubic);
  for (int y = 0; y < view.height; ++y)
    for (int x = 0; x < view.width; ++x)
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(view.row(y)[3 * x + c], x < 85 ? shown.row(y)[3 * x + c] : kPaddedPixel)
            << x << ", " << y;
  EXPECT_EQ(preprocess(image, preprocessing).size(), std::size_t{3 * 96 * 64});
  const auto region = evaluationRegion(40, 30, preprocessing);
  EXPECT_DOUBLE_EQ(region[0], 0);
  EXPECT_DOUBLE_EQ(region[2], 96 * 40 / 85.0);
  EXPECT_DOUBLE_EQ(region[3], 30);
}

TEST(Preprocess, paddedImagesAreAtMostFourTimesAsLong) {
  Preprocessing preprocessing;
  preprocessing.height = preprocessing.width = 64;
  preprocessing.pad = true;
  const PaddedSize size = paddedSize(10, 100, preprocessing);
  EXPECT_EQ(size.width, 26);  // 256 / 100 · 10
  EXPECT_EQ(size.height, 256);
  EXPECT_EQ(size.wholeWidth, 32);
  const ViewSize wide = evaluationSize(1'000'000, 1, preprocessing);
  EXPECT_EQ(wide.width, 256);
  EXPECT_EQ(wide.height, 32);
}

TEST(Preprocess, figuresOfPaddedImagesHaveTheOriginalsPixels) {
  const Image image = pattern(200, 120);
  Preprocessing preprocessing;
  preprocessing.height = preprocessing.width = 32;
  preprocessing.pad = true;  // 53 × 32, padded to 64
  const Image pixels = evaluationPixels(image, preprocessing);
  EXPECT_EQ(pixels.width, 242);  // 64 / 53 · 200
  EXPECT_EQ(pixels.height, 121);
  EXPECT_EQ(pixels.row(5)[3 * 230], kPaddedPixel);
}

TEST(Preprocess, batchesSquashWhatWouldBePadded) {
  Preprocessing preprocessing;
  preprocessing.height = preprocessing.width = 24;
  EXPECT_FALSE(ofOneSize(preprocessing).squash);
  preprocessing.pad = true;
  const Preprocessing fixed = ofOneSize(preprocessing);
  EXPECT_FALSE(fixed.pad);
  EXPECT_EQ(*evaluationView(pattern(40, 30), fixed).pixels,
            *resize(pattern(40, 30), 24, 24, Interpolation::Bicubic).pixels);
}

}  // namespace
}  // namespace headlight
