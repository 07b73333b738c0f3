// SPDX-License-Identifier: GPL-3.0-or-later

// Images that are unusual, not wrong: 16 bits a channel, four inks, 20,000 pixels wide. They are
// predicted as their plain counterparts are; what is too large is refused in words.

#include <zlib.h>

#include <cmath>

#include "core/imaging/codecs/Image.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

constexpr double kOneStep = 2e-3;  ///< of probability: a channel read one of 255 steps apart

class UnusualImagesCliTest : public CliTest {
 protected:
  Outcome predict(const fs::path& file) const {
    return run({"predict", file, "--model", microConfig(), "--weights",
                kGolden / "vit_micro.safetensors", "--top", "10", "--json"});
  }
  /// Probabilities by class.
  std::vector<double> probabilities(const fs::path& file) const {
    const Outcome outcome = predict(file);
    expectOk(outcome);
    std::vector<double> values(10, std::nan(""));
    if (outcome.exitCode != 0) return values;
    const nlohmann::json answer = outcome.json();
    for (const auto& score : answer["results"][0]["top"])
      values.at(score["index"].get<std::size_t>()) = score["probability"];
    return values;
  }
  void expectLike(const fs::path& file, const fs::path& plain, double tolerance) const {
    const auto got = probabilities(file), expected = probabilities(plain);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], expected[i], tolerance) << file << " class " << i;
  }
};

void putNumber(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<char>(value >> shift));
}

void putChunk(std::string& png, const std::string& kind, const std::string& data) {
  putNumber(png, static_cast<std::uint32_t>(data.size()));
  const std::string checked = kind + data;
  png += checked;
  putNumber(png,
            static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                                               static_cast<uInt>(checked.size()))));
}

/// The image with 16 bits a channel: every value v as v · 257, in the PNG standard's words the
/// same color.
std::string sixteenBitPng(const Image& image) {
  std::string rows;
  for (int y = 0; y < image.height; ++y) {
    rows.push_back(0);  // no filter
    for (int x = 0; x < 3 * image.width; ++x) {
      const char value = static_cast<char>((*image.pixels)[3UL * image.width * y + x]);
      rows += {value, value};
    }
  }
  uLongf size = ::compressBound(rows.size());
  std::string packed(size, '\0');
  EXPECT_EQ(::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                       reinterpret_cast<const Bytef*>(rows.data()), rows.size()),
            Z_OK);
  packed.resize(size);
  std::string header;
  putNumber(header, static_cast<std::uint32_t>(image.width));
  putNumber(header, static_cast<std::uint32_t>(image.height));
  header += {16, 2, 0, 0, 0};  // bits, RGB, deflate, filters, not interlaced
  std::string png("\x89PNG\r\n\x1a\n", 8);
  putChunk(png, "IHDR", header);
  putChunk(png, "IDAT", packed);
  putChunk(png, "IEND", "");
  return png;
}

Image gradient(int width, int height) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  pixels->reserve(3UL * width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int value : {255 * x / width, 255 * y / height, (7 * x + 13 * y) % 256})
        pixels->push_back(static_cast<std::uint8_t>(value));
  return {width, height, std::move(pixels)};
}

TEST_F(UnusualImagesCliTest, SixteenBitPng) {
  const Image image = gradient(40, 36);
  expectLike(write("sixteen.png", sixteenBitPng(image)), write("eight.png", *encodePng(image)), 0);
  const fs::path formats = kGolden / "pillow" / "formats";  // gray, as Pillow reads it
  expectLike(formats / "sixteen.png", formats / "expected" / "sixteen.png.png", kOneStep);
}

TEST_F(UnusualImagesCliTest, CmykJpeg) {
  const fs::path formats = kGolden / "pillow" / "formats";
  expectLike(formats / "cmyk.jpg", formats / "expected" / "cmyk.jpg.png", kOneStep);
}

TEST_F(UnusualImagesCliTest, TwentyThousandPixelsWide) {
  for (const int height : {1, 40}) {
    const auto wide = probabilities(write("wide.png", *encodePng(gradient(20000, height))));
    for (const double value : wide)
      EXPECT_TRUE(std::isfinite(value)) << height;
  }
  // Cut to the middle, as any image is: what lies outside does not count.
  Image wide = gradient(20000, 40);
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(*wide.pixels);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 3 * 9000; ++x)
      (*pixels)[3UL * 20000 * y + x] = 0;
  const auto before = write("before.png", *encodePng(wide));
  wide.pixels = pixels;
  expectLike(write("after.png", *encodePng(wide)), before, 0);
}

TEST_F(UnusualImagesCliTest, TooManyPixelsAreRefusedInWords) {
  std::string png = *encodePng(gradient(8, 8));
  std::string size;
  putNumber(size, 20000);
  putNumber(size, 4000);
  png.replace(16, 8, size);  // the header's word for it; no pixel is looked at
  png.replace(29, 4, [&] {
    std::string sum;
    putNumber(sum, static_cast<std::uint32_t>(::crc32(
                       0, reinterpret_cast<const Bytef*>(png.data()) + 12, static_cast<uInt>(17))));
    return sum;
  }());
  const auto outcome = run({"predict", write("huge.png", png), "--model", microConfig(),
                            "--weights", kGolden / "vit_micro.safetensors"});
  expectError(outcome, 3, {"huge.png", "20000", "64"});
}

}  // namespace
}  // namespace headlight::testing
