// SPDX-License-Identifier: GPL-3.0-or-later

// HEIC, AVIF and JPEG XL. The files are Pillow 12's with pillow-heif and pillow-jxl: 64 x 48 pixels
// of (4x, 5y, 2x + 2y), opaque, gray, or with the alpha 255 left of the middle and 5y right of it.
// Lossy ones are within 5 of it as Pillow reads them, which interpolates colors otherwise.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/files/Files.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/OptionalFormats.h"
#include "core/imaging/video/VideoKind.h"

namespace headlight {
namespace {

std::filesystem::path stillAt(const std::string& name) {
  return std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "stills" / name;
}

int colorAt(int x, int y, int channel) {
  return std::min(255, channel == 0 ? 4 * x : channel == 1 ? 5 * y : 2 * x + 2 * y);
}

int overWhiteAt(int x, int y, int channel) {
  const int alpha = x < 32 ? 255 : std::min(255, 5 * y);
  return (colorAt(x, y, channel) * alpha + 255 * (255 - alpha) + 127) / 255;
}

int grayAt(int x, int y, int) {
  const int sum = colorAt(x, y, 0) * 19595 + colorAt(x, y, 1) * 38470 + colorAt(x, y, 2) * 7471;
  return (sum + 0x8000) >> 16;
}

/// The greatest difference from what was drawn.
int worst(const std::string& name, int (*expected)(int x, int y, int channel)) {
  const auto image = readImage(stillAt(name));
  EXPECT_TRUE(image.ok()) << image.error().text();
  if (!image || image->width != 64 || image->height != 48) return 1000;
  int most = 0;
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x)
      for (int c = 0; c < 3; ++c)
        most = std::max(most, std::abs(image->row(y)[3 * x + c] - expected(x, y, c)));
  return most;
}

TEST(Stills, HeicAndAvifAreTheImageThatWasDrawn) {
  if (!readsHeif()) GTEST_SKIP() << "built without libheif";
  EXPECT_LE(worst("smooth.heic", colorAt), 6);
  EXPECT_LE(worst("gray.heic", grayAt), 6);
  EXPECT_LE(worst("smooth.avif", colorAt), 8);  // lossy, with halved chroma
  EXPECT_LE(worst("alpha.avif", overWhiteAt), 10);
}

TEST(Stills, TheContainerTurnsTheImage) {
  if (!readsHeif()) GTEST_SKIP() << "built without libheif";
  const auto image = readImage(stillAt("turned.avif"));  // EXIF's orientation 6 as a rotation
  ASSERT_TRUE(image.ok()) << image.error().text();
  ASSERT_EQ(image->width, 48);
  ASSERT_EQ(image->height, 64);
  EXPECT_NEAR(image->row(0)[3 * 47 + 1], 0, 8) << "the first row becomes the last column";
  EXPECT_NEAR(image->row(0)[0 + 1], 235, 8);
  EXPECT_NEAR(image->row(63)[0], 252, 8);
}

TEST(Stills, JpegXlIsTheImageThatWasDrawn) {
  if (!readsJxl()) GTEST_SKIP() << "built without libjxl";
  EXPECT_EQ(worst("lossless.jxl", colorAt), 0);
  EXPECT_EQ(worst("gray.jxl", grayAt), 0);
  EXPECT_EQ(worst("alpha.jxl", overWhiteAt), 0);
  EXPECT_LE(worst("smooth.jxl", colorAt), 15);
}

TEST(Stills, AreNoVideos) {
  for (const char* name : {"smooth.heic", "smooth.avif", "alpha.avif", "turned.avif"}) {
    const std::string bytes = valueOrThrow(readFile(stillAt(name), 1u << 20));
    EXPECT_TRUE(beginsLikeHeif(bytes)) << name;
    EXPECT_EQ(identifyVideo(bytes), "") << name;
  }
  EXPECT_FALSE(
      beginsLikeHeif(std::string("\0\0\0\x20"
                                 "ftypisom\0\0\2\0mif1",
                                 20)));
}

TEST(Stills, EveryTruncationIsRefused) {
  for (const char* name : {"smooth.heic", "alpha.avif", "lossless.jxl", "smooth.jxl"}) {
    const std::string whole = valueOrThrow(readFile(stillAt(name), 1u << 20));
    for (std::size_t bytes = 0; bytes + 1 < whole.size(); bytes += 3) {
      const auto image = decodeImage(whole.substr(0, bytes), name);
      if (!image) {
        EXPECT_FALSE(image.error().message.empty()) << name << " " << bytes;
      } else {
        EXPECT_EQ(image->pixels->size(), std::size_t(image->width) * image->height * 3);
      }
    }
    EXPECT_FALSE(decodeImage(whole.substr(0, whole.size() / 2), name).ok()) << name;
  }
}

TEST(Stills, ExtensionsAreThoseThatAreRead) {
  for (const char* name : {"a.heic", "b.HEIF", "c.avif"})
    EXPECT_EQ(hasImageExtension(name), readsHeif()) << name;
  EXPECT_EQ(hasImageExtension("d.jxl"), readsJxl());
}

}  // namespace
}  // namespace headlight
