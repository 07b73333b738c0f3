// SPDX-License-Identifier: GPL-3.0-or-later

// RandAugment: timm's spelling, what a level means to each operation, noise, and draws that follow
// from the key alone.

#include "core/data/augment/RandAugment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "core/data/augment/Operations.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

const AugmentOperation& operationNamed(std::string_view name) {
  for (const bool increasing : {false, true})
    for (const AugmentOperation& operation : augmentOperations(increasing))
      if (operation.name == name) return operation;
  throw std::runtime_error("no operation " + std::string(name));
}

double argumentOf(std::string_view name, double level, double sign = 1) {
  return operationNamed(name).argument(level, sign);
}

RandAugmentSpec spec(const std::string& text) {
  return valueOrThrow(randAugmentFromText(text));
}

EditedImage gradient() {
  const Image image = test::gradientImage(40, 32);
  return {image.width, image.height, *image.pixels};
}

TEST(RandAugment, LevelsMeanWhatTheyMeanInTimm) {
  EXPECT_DOUBLE_EQ(argumentOf("Rotate", 9), 27);
  EXPECT_DOUBLE_EQ(argumentOf("Rotate", 9, -1), -27);
  EXPECT_DOUBLE_EQ(argumentOf("ShearX", 5), 0.15);
  EXPECT_DOUBLE_EQ(argumentOf("ShearY", 10, -1), -0.3);
  EXPECT_DOUBLE_EQ(argumentOf("TranslateXRel", 9), 0.405);
  EXPECT_DOUBLE_EQ(argumentOf("TranslateYRel", 4, -1), -0.18);
  EXPECT_EQ(argumentOf("Posterize", 9), 3);  // int(3.6)
  EXPECT_EQ(argumentOf("PosterizeIncreasing", 9), 1);
  EXPECT_EQ(argumentOf("PosterizeIncreasing", 10), 0);
  EXPECT_EQ(argumentOf("Solarize", 9), 230);  // int(230.4)
  EXPECT_EQ(argumentOf("Solarize", 20), 256);
  EXPECT_EQ(argumentOf("SolarizeIncreasing", 9), 26);
  EXPECT_EQ(argumentOf("SolarizeAdd", 9), 99);
  EXPECT_EQ(argumentOf("SolarizeAdd", 20), 128);
  for (const char* name : {"Color", "Contrast", "Brightness", "Sharpness"}) {
    EXPECT_DOUBLE_EQ(argumentOf(name, 0), 0.1);
    EXPECT_DOUBLE_EQ(argumentOf(name, 9), 1.72);
    const std::string increasing = std::string(name) + "Increasing";
    EXPECT_DOUBLE_EQ(argumentOf(increasing, 0), 1);
    EXPECT_DOUBLE_EQ(argumentOf(increasing, 9), 1.81);
    EXPECT_DOUBLE_EQ(argumentOf(increasing, 9, -1), 0.19);
    EXPECT_DOUBLE_EQ(argumentOf(increasing, 30, -1), 0.1);
  }
  for (const char* name : {"AutoContrast", "Equalize", "Invert"})
    EXPECT_EQ(operationNamed(name).argument, nullptr);
}

TEST(RandAugment, MagnitudesAreNoisyAndClipped) {
  RandomStream draw(1);
  double sum = 0, squares = 0;
  for (int i = 0; i < 4000; ++i) {
    const double drawn = drawnMagnitude(spec("rand-m5-mstd0.5"), draw);
    sum += drawn, squares += drawn * drawn;
  }
  EXPECT_NEAR(sum / 4000, 5, 0.04);  // five standard errors
  EXPECT_NEAR(std::sqrt(squares / 4000 - sum / 4000 * (sum / 4000)), 0.5, 0.03);
  double least = 100, greatest = 0;
  for (int i = 0; i < 4000; ++i) {
    EXPECT_EQ(drawnMagnitude(spec("rand-m9"), draw), 9);
    EXPECT_EQ(drawnMagnitude(spec("rand-m12"), draw), 10) << "timm's bound without mmax";
    EXPECT_EQ(drawnMagnitude(spec("rand-m12-mmax20"), draw), 12);
    const double noisy = drawnMagnitude(spec("rand-m9-mstd5"), draw);
    EXPECT_TRUE(noisy >= 0 && noisy <= 10) << noisy;
    const double uniform = drawnMagnitude(spec("rand-m8-mstd101"), draw);
    least = std::min(least, uniform), greatest = std::max(greatest, uniform);
  }
  EXPECT_TRUE(least >= 0 && least < 0.05) << least;
  EXPECT_TRUE(greatest <= 8 && greatest > 7.95) << greatest;
}

TEST(RandAugment, IsAFunctionOfItsKey) {
  const auto made = [](std::uint64_t key, bool randomInterpolation) {
    EditedImage image = gradient();
    randAugment(image, spec("rand-m9-mstd0.5-inc1"), {}, randomInterpolation, key);
    return std::string(image.pixels.begin(), image.pixels.end());
  };
  std::set<std::string> different;
  for (std::uint64_t key = 0; key < 100; ++key) {
    EXPECT_EQ(made(key, true), made(key, true));
    different.insert(made(key, true));
  }
  EXPECT_GT(different.size(), 50u);  // a quarter is left as it is by p = 0.5 and n = 2
}

TEST(RandAugment, ProbabilityAndCountAreAsSpelled) {
  int changed = 0;
  for (std::uint64_t key = 0; key < 400; ++key) {
    EditedImage image = gradient();
    randAugment(image, spec("rand-m9-n3-p0"), {}, true, key);
    EXPECT_EQ(image.pixels, gradient().pixels);
    randAugment(image, spec("rand-m9-inc1"), {}, true, key);
    changed += image.pixels != gradient().pixels;
  }
  EXPECT_NEAR(changed, 300, 45);  // 1 − ½ · ½; five standard deviations
}

TEST(RandAugment, ADirectionIsDrawnAsOftenAsTheOther) {
  // One operation at p = 1: of those that turn images, half turn either way.
  std::map<std::string, int> seen;
  const auto rotated = [](double degrees) {
    EditedImage image = gradient();
    rotate(image, degrees, {});
    return std::string(image.pixels.begin(), image.pixels.end());
  };
  for (std::uint64_t key = 0; key < 3000; ++key) {
    EditedImage image = gradient();
    randAugment(image, spec("rand-m10-n1-p1"), {}, false, key);
    ++seen[{image.pixels.begin(), image.pixels.end()}];
  }
  EXPECT_NEAR(seen[rotated(30)], 100, 50);  // 3000 / 15 / 2; five standard deviations
  EXPECT_NEAR(seen[rotated(-30)], 100, 50);
}

TEST(RandAugment, TinyImagesAreSafe) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 9}, {9, 1}, {2, 2}})
    for (const bool increasing : {false, true})
      for (const AugmentOperation& operation : augmentOperations(increasing))
        for (const auto filter :
             {Interpolation::Nearest, Interpolation::Bilinear, Interpolation::Bicubic}) {
          const Image source = test::gradientImage(width, height);
          EditedImage image{width, height, *source.pixels};
          operation.apply(image, operation.argument ? operation.argument(10, -1) : 0,
                          {filter, {1, 2, 3}});
          EXPECT_EQ(image.pixels.size(), source.pixels->size());
        }
}

}  // namespace
}  // namespace headlight
