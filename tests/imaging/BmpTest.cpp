// SPDX-License-Identifier: GPL-3.0-or-later

// BMPs store their rows from the bottom, or from the top where the height is negative.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/imaging/TestImages.h"

namespace headlight {
namespace {

std::uint32_t numberAt(const std::string& bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i)
    value = value << 8 | static_cast<std::uint8_t>(bytes[offset + i]);
  return value;
}

/// The same image with its rows from the top; of an uncompressed BMP.
std::string fromTheTop(const std::string& bmp) {
  const std::uint32_t begin = numberAt(bmp, 10), height = numberAt(bmp, 22);
  const std::size_t row = (bmp.size() - begin) / height;
  std::string result = bmp.substr(0, begin);
  for (std::uint32_t y = height; y-- > 0;)
    result += bmp.substr(begin + y * row, row);
  test::putLittleEndian(result, 22, 0x1'0000'0000ULL - height, 4);
  return result;
}

TEST(Bmp, rowsFromTheTop) {
  for (const std::string name : {"rgb", "grey", "palette", "bits"}) {
    const std::string bytes = test::golden("pillow/formats/" + name + ".bmp");
    const auto expected = decodeImage(bytes, name);
    ASSERT_TRUE(expected.ok()) << expected.error().text();
    const auto decoded = decodeImage(fromTheTop(bytes), name + " from the top");
    ASSERT_TRUE(decoded.ok()) << decoded.error().text();
    EXPECT_EQ(test::maxDifference(*decoded, *expected), 0) << name;
  }
}

TEST(Bmp, theRowThatIsStoredFirstIsTheTop) {
  std::string bmp = "BM";  // 1 × 2 pixels of 24 bits, a red row and a blue one
  bmp.resize(54 + 8, '\0');
  for (const auto& [offset, value, bytes] : {std::array<std::uint32_t, 3>{2, 62, 4},
                                             {10, 54, 4},
                                             {14, 40, 4},
                                             {18, 1, 4},
                                             {22, 0xfffffffe, 4},
                                             {26, 1, 2},
                                             {28, 24, 2},
                                             {54, 0xff0000, 3},
                                             {58, 0x0000ff, 3}})
    test::putLittleEndian(bmp, offset, value, static_cast<int>(bytes));
  const auto image = decodeImage(bmp, "two rows.bmp");
  ASSERT_TRUE(image.ok()) << image.error().text();
  ASSERT_EQ(image->height, 2);
  EXPECT_EQ(test::pixel(*image, 0, 0), (std::array<std::uint8_t, 3>{255, 0, 0}));
  EXPECT_EQ(test::pixel(*image, 0, 1), (std::array<std::uint8_t, 3>{0, 0, 255}));
}

}  // namespace
}  // namespace headlight
