// SPDX-License-Identifier: GPL-3.0-or-later

// PNG files of numbers, made byte by byte here.

#include "core/imaging/codecs/IndexPng.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <set>

#include "core/imaging/ClassPng.h"
#include "core/imaging/ClassWheel.h"
#include "core/imaging/codecs/PngChunks.h"

namespace headlight {
namespace {

std::string fourBytes(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<char>(value >> shift));
  return bytes;
}

/// `rows`: each with its filter byte, 0, before it.
std::string numbersPng(std::uint32_t width, std::uint32_t height, int depth, int color,
                       const std::string& rows) {
  std::string png(kPngSignature);
  appendPngChunk(png, "IHDR",
                 fourBytes(width) + fourBytes(height) + static_cast<char>(depth) +
                     static_cast<char>(color) + std::string(3, '\0'));
  if (color == 3) appendPngChunk(png, "PLTE", std::string(3 * 16, '\x33'));
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(rows.data()), static_cast<uLong>(rows.size()));
  packed.resize(size);
  appendPngChunk(png, "IDAT", packed);
  appendPngChunk(png, "IEND", "");
  return png;
}

std::string refusalOfNumbers(const std::string& bytes) {
  const auto decoded = decodeIndexPng(bytes, "label.png");
  if (decoded) return "was read";
  EXPECT_EQ(decoded.error().where, "label.png");
  return decoded.error().message;
}

using Numbers = std::vector<std::uint16_t>;

TEST(IndexPng, GrayAndPalettesKeepTheirNumbers) {
  const auto gray = decodeIndexPng(
      numbersPng(3, 2, 8, 0, std::string("\0\x01\x02\x03\0\xff\x80\x00", 8)), "gray");
  ASSERT_TRUE(gray.ok()) << gray.error().text();
  EXPECT_EQ(gray->width, 3);
  EXPECT_EQ(gray->height, 2);
  EXPECT_EQ(gray->values, (Numbers{1, 2, 3, 255, 128, 0}));
  const auto palette =
      decodeIndexPng(numbersPng(2, 1, 8, 3, std::string("\0\x0f\x02", 3)), "palette");
  ASSERT_TRUE(palette.ok()) << palette.error().text();
  EXPECT_EQ(palette->values, (Numbers{15, 2})) << "whatever the colors, which are all the same";
}

TEST(IndexPng, SixteenBitsHaveTheBigEndFirst) {
  const auto wide =
      decodeIndexPng(numbersPng(2, 1, 16, 0, std::string("\0\x01\x02\x00\x96", 5)), "wide");
  ASSERT_TRUE(wide.ok()) << wide.error().text();
  EXPECT_EQ(wide->values, (Numbers{0x102, 150}));
}

/// As Pillow writes a palette of 16 colors or fewer.
TEST(IndexPng, SmallPalettesAreUnpacked) {
  const auto packed =
      decodeIndexPng(numbersPng(3, 1, 4, 3, std::string("\0\x1f\x20", 3)), "packed");
  ASSERT_TRUE(packed.ok()) << packed.error().text();
  EXPECT_EQ(packed->values, (Numbers{1, 15, 2}));
}

TEST(IndexPng, OtherKindsAreRefusedWithWhatToDo) {
  const std::string one(2, '\0'), three(4, '\0');
  EXPECT_NE(refusalOfNumbers(numbersPng(1, 1, 1, 0, one)).find("1-bit gray"), std::string::npos);
  EXPECT_NE(refusalOfNumbers(numbersPng(1, 1, 8, 2, three)).find("colors or transparency"),
            std::string::npos);
  EXPECT_NE(refusalOfNumbers(numbersPng(1, 1, 8, 4, std::string(3, '\0'))).find("transparency"),
            std::string::npos);
  EXPECT_NE(refusalOfNumbers("BM is no PNG at all, is it? It is a bitmap, it says.").find(" "),
            std::string::npos);
  EXPECT_TRUE(isColorPng(numbersPng(1, 1, 8, 2, three)));
  EXPECT_FALSE(isColorPng(numbersPng(1, 1, 8, 0, one)));
  EXPECT_FALSE(isColorPng(""));
}

TEST(IndexPng, HugeHeadersAndCutFilesAreRefused) {
  EXPECT_NE(refusalOfNumbers(numbersPng(60'000, 60'000, 8, 0, "x")).find("60000 x 60000"),
            std::string::npos);
  const std::string whole = numbersPng(3, 2, 8, 0, std::string("\0\1\2\3\0\1\2\3", 8));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refusalOfNumbers(whole.substr(0, size)), "was read") << size;
  EXPECT_NE(refusalOfNumbers(numbersPng(3, 2, 8, 0, std::string(4, '\0'))), "was read")
      << "a row is missing";
}

TEST(IndexPng, ReadsWhatIsWrittenOfClasses) {
  const ClassImage image{3, 2, {0, 1, 254, 255, 17, 3}};
  const auto read = decodeIndexPng(valueOrThrow(encodeClassPng(image, ClassPalette{})), "written");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->values, Numbers(image.classes.begin(), image.classes.end()));
}

TEST(ClassWheel, ColorsAllDiffer) {
  const auto colors = classWheel(kMaxPixelClasses);
  std::set<ClassColor> all(colors.begin(), colors.end());
  EXPECT_EQ(all.size(), 255u);
  EXPECT_FALSE(all.contains(kIgnoredColor));
  EXPECT_EQ(classWheel(3), (std::vector<ClassColor>(colors.begin(), colors.begin() + 3)));
}

}  // namespace
}  // namespace headlight
