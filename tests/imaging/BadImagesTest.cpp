// SPDX-License-Identifier: GPL-3.0-or-later

// Every damaged or lying image is an Error that says so, and nothing is printed by a codec.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/imaging/Preprocess.h"
#include "tests/imaging/TestImages.h"

namespace headlight {
namespace {

using test::encode;
using test::golden;
using test::pattern;

const std::vector<std::string> kFormats{"jpg", "png", "webp", "bmp", "tif"};

/// The error of a file that must not decode; silence on the standard error is part of the promise.
Error errorOf(const std::string& bytes, const std::string& name) {
  ::testing::internal::CaptureStderr();
  const auto result = decodeImage(bytes, name);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << name;
  EXPECT_FALSE(result.ok()) << name;
  return result.ok() ? Error{} : result.error();
}

void expectInvalid(const std::string& bytes, const std::string& name) {
  const Error error = errorOf(bytes, name);
  EXPECT_EQ(error.code, ErrorCode::InvalidFile) << error.text();
  EXPECT_EQ(error.where, name);
}

TEST(BadImages, zeroBytes) {
  const Error error = errorOf("", "nothing.jpg");
  EXPECT_EQ(error.code, ErrorCode::InvalidFile);
  EXPECT_NE(error.text().find("nothing.jpg: is empty"), std::string::npos) << error.text();
}

TEST(BadImages, anotherKindOfFile) {
  for (const std::string bytes : {"hello", "GIF89a........", "%PDF-1.5", "RIFF\4\0\0\0WAVE", "B"})
    EXPECT_EQ(errorOf(bytes, "other").code, ErrorCode::UnsupportedFile) << bytes;
}

TEST(BadImages, truncatedAnywhere) {
  for (const std::string& format : kFormats) {
    const std::string whole = encode(pattern(23, 17), format);
    ASSERT_TRUE(decodeImage(whole, format).ok());
    for (std::size_t kept = 8; kept < whole.size(); kept += kept < 64 ? 1 : 37) {
      const Error error = errorOf(whole.substr(0, kept), format + " of " + std::to_string(kept));
      EXPECT_TRUE(error.code == ErrorCode::InvalidFile || kept < 16) << error.text();
    }
    expectInvalid(whole.substr(0, whole.size() - 1), format + " less one byte");
  }
}

/// A JPEG cut short and closed again: libjpeg would show it partly gray.
TEST(BadImages, jpegClosedEarly) {
  const std::string whole = encode(pattern(64, 64), "jpg");
  expectInvalid(whole.substr(0, whole.size() / 2) + "\xff\xd9", "closed.jpg");
}

TEST(BadImages, onePixel) {
  for (const std::string& format : kFormats) {
    const Image image = test::paint(1, 1, [](int, int) {
      return std::array<std::uint8_t, 3>{90, 91, 92};
    });
    const auto decoded = decodeImage(encode(image, format), format);
    ASSERT_TRUE(decoded.ok()) << decoded.error().text();
    EXPECT_LE(test::maxDifference(*decoded, image), 4) << format;
    const Image view = evaluationView(*decoded, Preprocessing{});
    EXPECT_EQ(test::pixel(view, 0, 0), test::pixel(*decoded, 0, 0));
    EXPECT_EQ(test::pixel(view, 223, 223), test::pixel(*decoded, 0, 0));
  }
}

/// 20,000 pixels wide is large, not wrong.
TEST(BadImages, veryWide) {
  for (const std::string format : {"jpg", "png", "tif", "bmp"}) {
    for (const int height : {1, 60}) {
      const auto decoded = decodeImage(encode(pattern(20000, height), format), format);
      ASSERT_TRUE(decoded.ok()) << decoded.error().text();
      EXPECT_EQ(decoded->width, 20000);
      const Image view = evaluationView(*decoded, Preprocessing{});
      EXPECT_EQ(view.width, 224);
      EXPECT_NEAR(test::pixel(view, 112, 112)[0], 127, 3);  // the middle of the gradient
    }
  }
}

TEST(BadImages, aboveTheLimitBeforeDecoding) {
  const std::string jpeg = encode(pattern(16, 16), "jpg");
  EXPECT_EQ(errorOf(test::jpegSaying(jpeg, 65000, 65000), "huge.jpg").code,
            ErrorCode::UnsupportedFile);
  const std::string png = encode(pattern(16, 16), "png");
  EXPECT_EQ(errorOf(test::pngSaying(png, 0x7fffffff, 0x7fffffff), "huge.png").code,
            ErrorCode::UnsupportedFile);
  EXPECT_EQ(errorOf(test::pngSaying(png, 8001, 8000), "over.png").code, ErrorCode::UnsupportedFile);
  std::string bmp = encode(pattern(16, 16), "bmp");
  test::putLittleEndian(bmp, 18, 0x7fffffff, 4);
  test::putLittleEndian(bmp, 22, 0x80000000, 4);
  EXPECT_EQ(errorOf(bmp, "huge.bmp").code, ErrorCode::UnsupportedFile);
}

TEST(BadImages, zeroSides) {
  expectInvalid(test::jpegSaying(encode(pattern(16, 16), "jpg"), 16, 0), "flat.jpg");
  expectInvalid(test::pngSaying(encode(pattern(16, 16), "png"), 0, 16), "thin.png");
  std::string bmp = encode(pattern(16, 16), "bmp");
  test::putLittleEndian(bmp, 18, 0, 4);
  expectInvalid(bmp, "thin.bmp");
}

TEST(BadImages, headersThatPromiseMore) {
  expectInvalid(test::jpegSaying(encode(pattern(16, 16), "jpg"), 1600, 1600), "lying.jpg");
  expectInvalid(test::pngSaying(encode(pattern(16, 16), "png"), 16, 5000), "lying.png");
  std::string bmp = encode(pattern(16, 16), "bmp");
  test::putLittleEndian(bmp, 22, 5000, 4);
  expectInvalid(bmp, "lying.bmp");
  std::string webp = golden("pillow/formats/turn3.webp");
  ASSERT_EQ(webp.substr(12, 4), "VP8X");
  test::putLittleEndian(webp, 24, 4000, 3);
  expectInvalid(webp, "lying.webp");
}

/// Sides are signed: a negative width is no width, and the least height has no opposite.
TEST(BadImages, bmpsWithNegativeSides) {
  const auto saying = [](std::uint32_t width, std::uint32_t height) {
    std::string bmp = encode(pattern(16, 16), "bmp");
    test::putLittleEndian(bmp, 18, width, 4);
    test::putLittleEndian(bmp, 22, height, 4);
    return bmp;
  };
  expectInvalid(saying(0xffffff2c, 0xffffffff), "negative width.bmp");
  expectInvalid(saying(0x80000000, 0x80000000), "least width.bmp");
  EXPECT_EQ(errorOf(saying(16, 0x80000000), "least height.bmp").code, ErrorCode::UnsupportedFile);
}

TEST(BadImages, bmpsThatOpenCvWouldAssertOn) {
  const auto with = [](std::size_t offset, std::uint64_t value) {
    std::string bmp = golden("pillow/formats/palette.bmp");
    test::putLittleEndian(bmp, offset, value, 4);
    return bmp;
  };
  EXPECT_TRUE(decodeImage(with(46, 0), "default palette.bmp").ok());
  expectInvalid(with(46, 100'000), "palette.bmp");
  EXPECT_EQ(errorOf(with(30, 77), "compression.bmp").code, ErrorCode::UnsupportedFile);
  EXPECT_EQ(errorOf(with(14, 0), "header.bmp").code, ErrorCode::UnsupportedFile);
  expectInvalid(with(14, 0x7fffffff), "long header.bmp");
}

TEST(BadImages, tiffThatPromisesMore) {
  const std::string whole = golden("pillow/formats/rgb.tif");
  const std::size_t directory = 8;
  ASSERT_EQ(whole.substr(4, 4), std::string("\x08\0\0\0", 4));
  std::string lying = whole;
  bool found = false;
  for (std::size_t entry = directory + 2; entry < directory + 2 + 12 * 8; entry += 12)
    if (whole.substr(entry, 2) == "\x01\x01") {  // ImageLength
      test::putLittleEndian(lying, entry + 2, 4, 2);
      test::putLittleEndian(lying, entry + 8, 30000, 4);
      found = true;
    }
  ASSERT_TRUE(found);
  expectInvalid(lying, "lying.tif");
  std::string big = whole;
  big[2] = 43;
  EXPECT_EQ(errorOf(big, "big.tif").code, ErrorCode::UnsupportedFile);
}

TEST(BadImages, pngWithAWrongChecksum) {
  std::string png = encode(pattern(16, 16), "png");
  const std::size_t data = png.find("IDAT");
  png[data + 20] = static_cast<char>(png[data + 20] ^ 0x55);
  expectInvalid(png, "flipped.png");
}

/// A scan is repeated: each costs a pass over the whole image.
TEST(BadImages, jpegOfTooManyScans) {
  const std::string whole = golden("pillow/formats/progressive.jpg");
  const std::size_t scan = whole.rfind("\xff\xda");
  const std::string last = whole.substr(scan, whole.size() - 2 - scan);
  std::string few = whole.substr(0, whole.size() - 2);
  std::string many = few;
  for (int i = 0; i < 120; ++i)
    many += last;
  const Error error = errorOf(many + "\xff\xd9", "scans.jpg");
  EXPECT_EQ(error.code, ErrorCode::UnsupportedFile);
  EXPECT_NE(error.message.find("100 scans"), std::string::npos) << error.text();
  EXPECT_TRUE(decodeImage(whole, "progressive").ok());
}

TEST(BadImages, exifThatLiesIsIgnored) {
  std::string jpeg = golden("pillow/formats/turn6.jpg");
  const std::size_t exif = jpeg.find(std::string("Exif\0\0", 6));
  ASSERT_NE(exif, std::string::npos);
  const std::size_t offset = exif + 6 + 4;
  const bool bigEndian = jpeg[exif + 6] == 'M';
  if (bigEndian)
    test::putBigEndian(jpeg, offset, 0xfffffff0, 4);
  else
    test::putLittleEndian(jpeg, offset, 0xfffffff0, 4);
  const auto image = decodeImage(jpeg, "exif.jpg");
  ASSERT_TRUE(image.ok()) << image.error().text();
  EXPECT_GT(image->width, image->height);  // as stored, not turned
}

TEST(BadImages, filesThatAreNotThere) {
  EXPECT_EQ(readImage("/nowhere/at/all.png").error().code, ErrorCode::NotFound);
  EXPECT_FALSE(readImage(std::filesystem::temp_directory_path()).ok());
}

TEST(Images, extensions) {
  for (const char* name : {"a.jpg", "b.JPEG", "c.Png", "d.webp", "e.bmp", "f.TIF", "g.tiff"})
    EXPECT_TRUE(hasImageExtension(name)) << name;
  for (const char* name : {"a", "b.gif", "c.jpg.txt", ".png", "d.safetensors"})
    EXPECT_FALSE(hasImageExtension(name)) << name;
}

}  // namespace
}  // namespace headlight
