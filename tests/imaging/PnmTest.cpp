// SPDX-License-Identifier: GPL-3.0-or-later

// Netpbm's PBM, PGM and PPM: what their numbers mean, and what is refused.

#include <gtest/gtest.h>

#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes pixelsOf(const std::string& file) {
  const auto image = decodeImage(file, "image.ppm");
  EXPECT_TRUE(image.ok()) << image.error().text();
  return image ? *image->pixels : Bytes{};
}

std::string refusalOf(const std::string& file) {
  const auto image = decodeImage(file, "image.ppm");
  EXPECT_FALSE(image.ok());
  return image ? "" : image.error().message;
}

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values)
    text.push_back(static_cast<char>(value));
  return text;
}

TEST(Pnm, RawAndPlainAreTheSame) {
  const Bytes colors{255, 0, 7, 10, 13, 35};
  EXPECT_EQ(pixelsOf("P6\n2 1\n255\n" + bytes({255, 0, 7, 10, 13, 35})), colors);
  EXPECT_EQ(pixelsOf("P3 # red first\n2 1 # sides\n255\n255 0 7\n10 13 35"), colors);
  const Bytes gray{0, 0, 0, 200, 200, 200};
  EXPECT_EQ(pixelsOf("P5 1 2 255\n" + bytes({0, 200})), gray);
  EXPECT_EQ(pixelsOf("P2\n1 2\n255\n0\n200\n"), gray);
}

TEST(Pnm, BitsAreBlackWhereTheyAreOne) {
  const Bytes row{0, 0, 0, 255, 255, 255, 0, 0, 0};
  EXPECT_EQ(pixelsOf("P4\n3 1\n" + bytes({0xa0})), row);
  EXPECT_EQ(pixelsOf("P1\n3 1\n101"), row);
  EXPECT_EQ(pixelsOf("P1\n3 1\n1 0 1\n"), row);
  const auto tall = pixelsOf("P4\n9 2\n" + bytes({0, 0x80, 0xff, 0}));
  ASSERT_EQ(tall.size(), 54u);
  EXPECT_EQ(tall[24], 0) << "rows begin at whole bytes";
  EXPECT_EQ(tall[27], 0);
  EXPECT_EQ(tall[51], 255);
}

TEST(Pnm, ValuesAreScaledTo255) {
  EXPECT_EQ(pixelsOf("P2 3 1 15 0 7 15"), (Bytes{0, 0, 0, 119, 119, 119, 255, 255, 255}));
  EXPECT_EQ(pixelsOf("P5 2 1 65535\n" + bytes({0xff, 0xff, 0x80, 0x80})),
            (Bytes{255, 255, 255, 128, 128, 128}));
}

TEST(Pnm, DamageIsRefused) {
  EXPECT_NE(refusalOf("P6\n2 1\n255\n" + bytes({1, 2, 3, 4, 5})).find("truncated"),
            std::string::npos);
  EXPECT_NE(refusalOf("P6\n2").find("header"), std::string::npos);
  EXPECT_NE(refusalOf("P6\n2 99999999999 255\n").find("header"), std::string::npos);
  EXPECT_NE(refusalOf("P6 60000 60000 255\n").find("megapixels"), std::string::npos);
  EXPECT_NE(refusalOf("P6 0 1 255\n").find("at least one"), std::string::npos);
  EXPECT_NE(refusalOf("P5 1 1 0\nx").find("maximum value"), std::string::npos);
  EXPECT_NE(refusalOf("P5 1 1 70000\nxx").find("maximum value"), std::string::npos);
  EXPECT_NE(refusalOf("P5 1 1 100\n" + bytes({101})).find("brighter"), std::string::npos);
  EXPECT_NE(refusalOf("P2 2 1 9\n1 ten").find("numbers"), std::string::npos);
  EXPECT_NE(refusalOf("P2 1 2 9\n1  ").find("truncated"), std::string::npos);
  EXPECT_NE(refusalOf("P7\nWIDTH 1\n").find("PPM"), std::string::npos);
}

TEST(Pnm, IsAnImageByName) {
  for (const std::string name : {"a.ppm", "a.PGM", "a.pbm", "a.pnm"}) {
    EXPECT_TRUE(hasImageExtension(name));
    EXPECT_TRUE(hasPnmExtension(name));
  }
  EXPECT_FALSE(hasPnmExtension("a.png"));
  EXPECT_FALSE(hasImageExtension("a.pam"));
}

}  // namespace
}  // namespace headlight
