// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/imaging/codecs/PngChunks.h"
#include "tests/imaging/TestImages.h"

namespace headlight {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

TEST(PngText, roundTrip) {
  const Image image = test::pattern(33, 21);
  const Entries text{{"Software", "Headlight"},
                     {"Session", "{\"image\": \"Bär.jpg\", \"α\": 0.5}"},
                     {"Empty", ""},
                     {"Long", std::string(300'000, 'x')}};
  const auto png = encodePng(image, text);
  ASSERT_TRUE(png.ok()) << png.error().text();
  EXPECT_EQ(readPngText(*png), text);
  const auto decoded = decodeImage(*png, "round trip");
  ASSERT_TRUE(decoded.ok()) << decoded.error().text();
  EXPECT_EQ(test::maxDifference(*decoded, image), 0);
  EXPECT_NE(png->find("tEXtSoftware"), std::string::npos);
  EXPECT_NE(png->find("iTXtSession"), std::string::npos);
}

TEST(PngText, refusesWhatCannotBeStored) {
  const Image image = test::pattern(4, 4);
  EXPECT_FALSE(encodePng(Image{}).ok());
  EXPECT_FALSE(encodePng(image, {{"", "value"}}).ok());
  EXPECT_FALSE(encodePng(image, {{std::string(80, 'k'), "value"}}).ok());
  EXPECT_FALSE(encodePng(image, {{"key", std::string("a\0b", 3)}}).ok());
}

TEST(PngText, otherFilesHaveNone) {
  EXPECT_TRUE(readPngText("").empty());
  EXPECT_TRUE(readPngText("\xff\xd8\xff\xe0").empty());
  EXPECT_TRUE(readPngText(*encodePng(test::pattern(4, 4))).empty());
}

TEST(PngText, latin1IsReadAsUtf8) {
  std::string png(kPngSignature);
  appendPngChunk(png, "tEXt", std::string("Title\0gr\xfc\xdf", 10));
  const Entries expected{{"Title", "grüß"}};
  EXPECT_EQ(readPngText(png), expected);
}

TEST(PngText, damagedAndHostileChunksAreLeftOut) {
  std::string png(kPngSignature);
  appendPngChunk(png, "tEXt", "no zero byte");
  appendPngChunk(png, "tEXt", std::string("\0no keyword", 11));
  appendPngChunk(png, "iTXt", std::string("Short\0", 6));
  appendPngChunk(png, "iTXt", std::string("Packed\0\1\0\0\0zzzz", 14));
  appendPngChunk(png, "tEXt", std::string("Good\0yes", 8));
  const std::size_t last = png.size();
  appendPngChunk(png, "tEXt", std::string("Flipped\0no", 10));
  png[last + 17] = '!';  // its checksum is wrong now
  const Entries expected{{"Good", "yes"}};
  EXPECT_EQ(readPngText(png), expected);
  png += std::string(
      "\xff\xff\xff\xff"
      "tEXtKey\0value",
      17);  // a length beyond the file
  EXPECT_EQ(readPngText(png), expected);
  for (std::size_t kept = 0; kept < png.size(); ++kept)
    EXPECT_LE(readPngText(png.substr(0, kept)).size(), 1u);
}

TEST(PngText, chunksCarryTheSpecificationsChecksum) {
  std::string end;
  appendPngChunk(end, "IEND", "");
  EXPECT_EQ(end, std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12));
}

}  // namespace
}  // namespace headlight
