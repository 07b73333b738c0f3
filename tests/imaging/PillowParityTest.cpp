// SPDX-License-Identifier: GPL-3.0-or-later

// Against what Pillow and torchvision make of the same bytes (tests/golden/pillow/make_goldens.py).

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "core/imaging/Preprocess.h"
#include "tests/imaging/TestImages.h"

namespace headlight {
namespace {

using test::golden;
using test::goldenImage;
using test::maxDifference;
using test::pixel;

Interpolation interpolationNamed(const std::string& name) {
  static const std::map<std::string, Interpolation> kNames{{"nearest", Interpolation::Nearest},
                                                           {"bilinear", Interpolation::Bilinear},
                                                           {"bicubic", Interpolation::Bicubic}};
  return kNames.at(name);
}

/// The promise is 1/255; fixed-point arithmetic of the same precision gives equality in fact.
constexpr int kTolerance = 1;

TEST(PillowParity, resize) {
  const Image input = goldenImage("pillow/input.png");
  std::istringstream cases(golden("pillow/resize/cases.txt"));
  std::string file, filter;
  int width = 0, height = 0, count = 0;
  std::array<double, 4> box{};
  while (cases >> file >> filter >> width >> height >> box[0] >> box[1] >> box[2] >> box[3]) {
    const Image expected = goldenImage("pillow/resize/" + file);
    const Image got = resizeBox(input, box, width, height, interpolationNamed(filter));
    EXPECT_LE(maxDifference(got, expected), kTolerance) << file << " " << filter;
    ++count;
  }
  EXPECT_EQ(count, 30);
}

TEST(PillowParity, evaluationView) {
  const Image input = goldenImage("pillow/input.png");
  std::istringstream cases(golden("pillow/view/cases.txt"));
  std::string file, filter;
  int size = 0, count = 0;
  double crop = 0;
  while (cases >> file >> filter >> size >> crop) {
    Preprocessing preprocessing;
    preprocessing.height = preprocessing.width = size;
    preprocessing.cropFraction = crop;
    preprocessing.interpolation = interpolationNamed(filter);
    const Image got = evaluationView(input, preprocessing);
    EXPECT_LE(maxDifference(got, goldenImage("pillow/view/" + file)), kTolerance) << file;
    ++count;
  }
  EXPECT_EQ(count, 5);
}

/// With their alpha channel dropped, as timm and torchvision read them.
TEST(PillowParity, droppedAlpha) {
  const std::filesystem::path folder =
      std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "pillow" / "formats";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "dropped")) {
    const std::string name = entry.path().stem().string();
    const Image got = valueOrThrow(readImage(folder / name));
    const Image expected = goldenImage("pillow/formats/dropped/" + name + ".png");
    ASSERT_TRUE(got.alphaDropped) << name;
    const Image dropped = withTransparency(got, true);
    EXPECT_GT(maxDifference(got, expected), 100) << name;
    EXPECT_EQ(withTransparency(got, false).pixels, got.pixels);
    ++count;
    if (!name.ends_with(".tif")) {
      EXPECT_EQ(maxDifference(dropped, expected), 0) << name;
      continue;
    }
    // libtiff multiplies by alpha, 17 x + 3 y here: what is left of it is divided again.
    for (int y = 0; y < 10; ++y)
      for (int x = 0; x < 14; ++x)
        for (std::size_t c = 0; c < 3; ++c)
          EXPECT_NEAR(pixel(dropped, x, y)[c], pixel(expected, x, y)[c],
                      17 * x + 3 * y < 20 ? 255 : 1 + 255 / (17 * x + 3 * y))
              << x << " " << y;
  }
  EXPECT_EQ(count, 7);
}

/// What a model sees follows the option; opaque images are the same either way.
TEST(PillowParity, droppedAlphaInViews) {
  const Image image = goldenImage("pillow/formats/alpha.png");
  const Image opaque = goldenImage("pillow/formats/dropped/alpha.png.png");
  Preprocessing seen;
  seen.height = seen.width = 32;
  const Image onWhite = evaluationView(image, seen);
  EXPECT_EQ(*evaluationView({image.width, image.height, image.pixels}, seen).pixels,
            *onWhite.pixels);
  seen.dropAlpha = true;
  EXPECT_EQ(*evaluationView(image, seen).pixels, *evaluationView(opaque, seen).pixels);
  EXPECT_EQ(*evaluationPixels(image, seen).pixels, *evaluationPixels(opaque, seen).pixels);
  EXPECT_EQ(preprocess(image, seen), preprocess(opaque, seen));
  EXPECT_NE(*evaluationView(image, seen).pixels, *onWhite.pixels);
  EXPECT_FALSE(opaque.alphaDropped);
}

/// Orientations, alpha, palettes, 16 bits, CMYK, byte orders, tiles: one small image in many
/// files. 2 for transparent ones: Pillow composes with other rounding, and libtiff multiplies
/// first.
TEST(PillowParity, formats) {
  const std::filesystem::path folder =
      std::filesystem::path(HEADLIGHT_GOLDEN_DIR) / "pillow" / "formats";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().filename().string();
    const auto got = readImage(entry.path());
    ASSERT_TRUE(got.ok()) << got.error().text();
    const Image expected = goldenImage("pillow/formats/expected/" + name + ".png");
    const int tolerance = name.find("alpha") == std::string::npos ? kTolerance : 2;
    EXPECT_LE(maxDifference(*got, expected), tolerance) << name;
    ++count;
  }
  EXPECT_EQ(count, 53);
}

/// Without Adobe's marker the four inks are not inverted: an image of K = 0 becomes one of K =
/// 255.
TEST(PillowParity, cmykWithoutAdobesMarker) {
  std::string bytes = golden("pillow/formats/cmyk.jpg");
  const std::size_t adobe = bytes.find("Adobe");
  ASSERT_NE(adobe, std::string::npos);
  bytes.erase(adobe - 4, 16);
  const auto image = decodeImage(bytes, "cmyk");
  ASSERT_TRUE(image.ok()) << image.error().text();
  for (const std::uint8_t value : *image->pixels)
    EXPECT_LE(value, 6);
}

}  // namespace
}  // namespace headlight
