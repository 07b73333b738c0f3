// SPDX-License-Identifier: GPL-3.0-or-later

// Parts of images: each pixel is the one that decoding the whole gives, and damage is found
// wherever it lies; reduced images have the right size and lie where they should.

#include "core/imaging/codecs/ImagePart.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/Random.h"
#include "core/imaging/Resample.h"
#include "tests/imaging/JpegWriter.h"
#include "tests/imaging/TestImages.h"

namespace headlight {
namespace {

using test::encodeJpeg;
using test::JpegKind;

/// Edges, gradients and noise: colors that change within a block.
Image busy(int width, int height) {
  RandomStream noise(3);
  return test::paint(width, height, [&](int x, int y) {
    const auto value = [&](int v) { return static_cast<std::uint8_t>(v & 255); };
    return std::array<std::uint8_t, 3>{value(x * 3 + int(noise.below(40))),
                                       value((x / 5 + y / 7) % 2 * 200),
                                       value(y * 2 + int(noise.below(90)))};
  });
}

const JpegKind kKinds[] = {
    {}, {2, 2}, {2, 1}, {1, 2}, {4, 1}, {1, 1, true}, {2, 2, false, true}, {2, 2, false, false, 1}};

std::string textOf(const JpegKind& kind) {
  return std::to_string(kind.across) + " x " + std::to_string(kind.down) +
         (kind.gray ? " gray" : "") + (kind.progressive ? " progressive" : "");
}

ImagePart partOf(const std::string& bytes, const PartChoice& choice) {
  return valueOrThrow(decodeImagePart(bytes, "test", [&](int, int) { return choice; }));
}

/// The pixels of `whole` where `part` lies, compared; 256 where it lies outside.
int differenceWithin(const Image& whole, const ImagePart& part) {
  int most = 0;
  if (part.left + part.image.width > whole.width || part.top + part.image.height > whole.height)
    return 256;
  for (int y = 0; y < part.image.height; ++y)
    for (int x = 0; x < 3 * part.image.width; ++x)
      most = std::max(most,
                      std::abs(part.image.row(y)[x] - whole.row(part.top + y)[3 * part.left + x]));
  return most;
}

std::array<int, 4> drawnRectangle(RandomStream& draw, int width, int height) {
  const auto left = static_cast<int>(draw.below(width)), top = static_cast<int>(draw.below(height));
  return {left, top, left + 1 + static_cast<int>(draw.below(width - left)),
          top + 1 + static_cast<int>(draw.below(height - top))};
}

TEST(ImagePart, HasThePixelsOfTheWhole) {
  RandomStream draw(1);
  for (const JpegKind& kind : kKinds)
    for (const auto& [width, height] : {std::pair{203, 157}, {64, 48}, {17, 200}, {1, 1}}) {
      const std::string bytes = encodeJpeg(busy(width, height), kind);
      const Image whole = valueOrThrow(decodeImage(bytes, "test"));
      for (int i = 0; i < 60; ++i) {
        const auto pixels = drawnRectangle(draw, width, height);
        const ImagePart part = partOf(bytes, {8, pixels});
        EXPECT_EQ(differenceWithin(whole, part), 0)
            << textOf(kind) << ": " << width << " x " << height << " at " << pixels[0] << ","
            << pixels[1] << " to " << pixels[2] << "," << pixels[3];
        EXPECT_LE(part.left, pixels[0]);
        EXPECT_LE(part.top, pixels[1]);
        EXPECT_GE(part.left + part.image.width, pixels[2]);
        EXPECT_GE(part.top + part.image.height, pixels[3]);
        EXPECT_EQ(part.width, width);
        EXPECT_EQ(part.originalHeight, height);
        if (!kind.progressive) {
          EXPECT_EQ(part.image.width, pixels[2] - pixels[0]);
        }
      }
    }
}

TEST(ImagePart, OfAReducedImageHasItsPixelsToo) {
  RandomStream draw(2);
  for (const JpegKind& kind : kKinds)
    for (int eighths = 1; eighths < 8; ++eighths) {
      const std::string bytes = encodeJpeg(busy(203, 157), kind);
      const int width = (203 * eighths + 7) / 8, height = (157 * eighths + 7) / 8;
      const ImagePart whole = partOf(bytes, {eighths, {0, 0, width, height}});
      ASSERT_EQ(whole.image.width, width);
      ASSERT_EQ(whole.image.height, height);
      EXPECT_EQ(whole.originalWidth, 203);
      for (int i = 0; i < 20; ++i)
        EXPECT_EQ(differenceWithin(whole.image,
                                   partOf(bytes, {eighths, drawnRectangle(draw, width, height)})),
                  0)
            << textOf(kind) << " at " << eighths << "/8";
    }
}

TEST(ImagePart, AReducedImageLiesWhereTheOriginalDoes) {
  const Image smooth = test::paint(240, 160, [](int x, int y) {
    return std::array<std::uint8_t, 3>{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y),
                                       128};
  });
  const std::string bytes = encodeJpeg(smooth, {}, 100);
  for (const int eighths : {1, 2, 4}) {
    const ImagePart part = partOf(bytes, {eighths, {0, 0, 30 * eighths, 20 * eighths}});
    const Image expected = resize(smooth, 30 * eighths, 20 * eighths, Interpolation::Bilinear);
    EXPECT_LE(test::maxDifference(part.image, expected), 3) << eighths;
  }
}

TEST(ImagePart, OfATurnedImageIsAllOfItUpright) {
  for (int turn = 1; turn <= 8; ++turn) {
    const std::string bytes = test::golden("pillow/formats/turn" + std::to_string(turn) + ".jpg");
    const Image whole = valueOrThrow(decodeImage(bytes, "test"));
    std::pair<int, int> asked;
    const auto part = valueOrThrow(decodeImagePart(bytes, "test", [&](int width, int height) {
      asked = {width, height};
      return PartChoice{8, {1, 1, width, height}};
    }));
    EXPECT_EQ(asked, std::pair(whole.width, whole.height));
    EXPECT_EQ(differenceWithin(whole, part), 0) << turn;
    EXPECT_EQ(part.left, turn == 1 ? 1 : 0);
    const ImagePart half = partOf(bytes, {4, {0, 0, 1, 1}});
    EXPECT_EQ(half.width, (whole.width + 1) / 2);
    if (turn != 1) {
      EXPECT_EQ(half.image.height, (whole.height + 1) / 2);
    }
  }
}

TEST(ImagePart, OfFourInksAndOfOtherFormatsIsRight) {
  for (const std::string name : {"cmyk.jpg", "grey.jpg", "rgb.png", "lossy.webp", "rgb.tif"}) {
    const std::string bytes = test::golden("pillow/formats/" + name);
    const Image whole = valueOrThrow(decodeImage(bytes, "test"));
    const ImagePart part = partOf(bytes, {8, {2, 3, 5, 7}});
    EXPECT_EQ(differenceWithin(whole, part), 0) << name;
    if (!name.ends_with(".jpg")) {
      EXPECT_EQ(part.image.width, whole.width) << name;
    }
  }
}

TEST(ImagePart, FindsTheDamageThatTheWholeHas) {
  RandomStream draw(4);
  int damaged = 0;
  for (const JpegKind& kind : kKinds)
    for (int i = 0; i < 40; ++i) {
      std::string bytes = encodeJpeg(busy(120, 90), kind);
      for (int change = 0; change < 3; ++change)
        bytes[300 + draw.below(std::int64_t(bytes.size()) - 300)] = char(draw.below(256));
      const auto whole = decodeImage(bytes, "test");
      const auto pixels = drawnRectangle(draw, 120, 90);
      const auto part = decodeImagePart(bytes, "test", [&](int width, int height) -> PartChoice {
        return width == 120 && height == 90 ? PartChoice{8, pixels}
                                            : PartChoice{8, {0, 0, width, height}};
      });
      EXPECT_EQ(whole.ok(), part.ok()) << textOf(kind) << " " << i;
      if (whole.ok() && part.ok()) {
        EXPECT_EQ(differenceWithin(*whole, *part), 0) << textOf(kind);
      }
      damaged += !whole.ok();
    }
  EXPECT_GT(damaged, 20);
}

TEST(ImagePart, OutsideOfTheImageIsRefused) {
  const std::string bytes = encodeJpeg(busy(40, 30), {});
  for (const PartChoice& bad : {PartChoice{8, {0, 0, 41, 30}},
                                {8, {-1, 0, 4, 4}},
                                {8, {4, 4, 4, 5}},
                                {8, {4, 5, 5, 5}},
                                {4, {0, 0, 40, 30}},
                                {0, {0, 0, 1, 1}},
                                {9, {0, 0, 1, 1}}}) {
    const auto part = decodeImagePart(bytes, "test", [&](int, int) { return bad; });
    ASSERT_FALSE(part.ok());
    EXPECT_EQ(part.error().code, ErrorCode::InvalidArgument);
  }
}

TEST(ImagePart, ResizingItIsResizingTheWhole) {
  RandomStream draw(5);
  const std::string bytes = encodeJpeg(busy(203, 157), {2, 2});
  const Image whole = valueOrThrow(decodeImage(bytes, "test"));
  for (const Interpolation filter :
       {Interpolation::Nearest, Interpolation::Bilinear, Interpolation::Bicubic})
    for (int i = 0; i < 40; ++i) {
      const auto [left, top, right, bottom] = drawnRectangle(draw, 203, 157);
      const std::array<double, 4> box{double(left), double(top), double(right), double(bottom)};
      const auto reach = resampleReach(203, 157, box, 48, 36, filter);
      const ImagePart part = partOf(bytes, {8, reach});
      EXPECT_EQ(*resizeBox(part, box, 48, 36, filter).pixels,
                *resizeBox(whole, box, 48, 36, filter).pixels);
      if (right < 150) {
        EXPECT_THROW(resizeBox(part, {double(left), double(top), 203, 157}, 48, 36, filter),
                     Failure);
      }
    }
}

}  // namespace
}  // namespace headlight
