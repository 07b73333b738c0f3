// SPDX-License-Identifier: GPL-3.0-or-later

// The synthetic images: a function of (seed, index), balanced, distinct, and guarded by a hash.

#include "core/data/drawn/TextureShape.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "core/base/Random.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

DatasetSpec textureShape(std::uint64_t seed = 0) {
  DatasetSpec spec;
  spec.kind = "texture-shape";
  spec.seed = seed;
  spec.trainSamples = 90;
  spec.validationSamples = 27;
  return spec;
}

std::uint64_t hashOf(const Image& image) {
  std::uint64_t hash = streamKey({std::uint64_t(image.width), std::uint64_t(image.height)});
  for (const std::uint8_t value : *image.pixels)
    hash = mixBits(hash ^ value);
  return hash;
}

double meanDifference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels->size(); ++i)
    sum += std::abs(int((*a.pixels)[i]) - int((*b.pixels)[i]));
  return sum / static_cast<double>(a.pixels->size());
}

TEST(TextureShape, HasNineClassesInBalance) {
  const auto train = valueOrThrow(openDataset(textureShape(), Split::Train));
  const auto validation = valueOrThrow(openDataset(textureShape(), Split::Validation));
  EXPECT_EQ(train->size(), 90);
  EXPECT_EQ(validation->size(), 27);
  EXPECT_EQ(std::set<std::string>(train->classNames().begin(), train->classNames().end()).size(),
            9u);
  std::map<int, int> perClass;
  for (std::int64_t i = 0; i < train->size(); ++i) {
    const auto sample = valueOrThrow(train->sample(i));
    EXPECT_EQ(sample.image.width, 48);
    EXPECT_EQ(sample.image.height, 48);
    ++perClass[sample.label];
  }
  for (int label = 0; label < 9; ++label)
    EXPECT_EQ(perClass[label], 10) << label;
}

TEST(TextureShape, LimitStaysInBalance) {
  auto spec = textureShape();
  spec.maxSamples = 18;
  const auto dataset = valueOrThrow(openDataset(spec, Split::Train));
  std::map<int, int> perClass;
  for (std::int64_t i = 0; i < dataset->size(); ++i)
    ++perClass[valueOrThrow(dataset->sample(i)).label];
  for (int label = 0; label < 9; ++label)
    EXPECT_EQ(perClass[label], 2) << label;
}

TEST(TextureShape, IsAFunctionOfSeedAndIndex) {
  const auto first = valueOrThrow(openDataset(textureShape(3), Split::Train));
  const auto again = valueOrThrow(openDataset(textureShape(3), Split::Train));
  const auto otherSeed = valueOrThrow(openDataset(textureShape(4), Split::Train));
  const auto validation = valueOrThrow(openDataset(textureShape(3), Split::Validation));
  std::set<std::uint64_t> seen;
  for (std::int64_t i = 26; i >= 0; --i) {  // an order of its own: nothing may depend on it
    const auto image = valueOrThrow(first->sample(i)).image;
    EXPECT_EQ(*image.pixels, *valueOrThrow(again->sample(i)).image.pixels);
    seen.insert(hashOf(image));
    seen.insert(hashOf(valueOrThrow(otherSeed->sample(i)).image));
    seen.insert(hashOf(valueOrThrow(validation->sample(i)).image));
  }
  EXPECT_EQ(seen.size(), 3u * 27u) << "splits, seeds and indices draw different images";

  auto longer = textureShape(3);
  longer.trainSamples = 1000;
  EXPECT_EQ(*valueOrThrow(valueOrThrow(openDataset(longer, Split::Train))->sample(5)).image.pixels,
            *valueOrThrow(first->sample(5)).image.pixels);
}

TEST(TextureShape, EveryClassLooksDifferentInTheSameScene) {
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < a; ++b)
      // Levels of 255, over the whole image. The same label differs by 0.
      EXPECT_GT(meanDifference(drawTextureShape(48, 1, 2, a), drawTextureShape(48, 1, 2, b)), 4.0)
          << a << " and " << b;
}

TEST(TextureShape, ShapeStandsOutAndLiesInTheImage) {
  for (std::uint64_t index = 0; index < 90; ++index) {
    const Image image = drawTextureShape(48, 9, index, static_cast<int>(index % 9));
    const auto lightness = [&](int left, int top, int right, int bottom) {
      double sum = 0;
      for (int y = top; y < bottom; ++y)
        for (int x = 3 * left; x < 3 * right; ++x)
          sum += image.row(y)[x];
      return sum / (3.0 * (right - left) * (bottom - top));
    };
    const double middle = lightness(18, 18, 30, 30);
    const double corners = (lightness(0, 0, 4, 4) + lightness(44, 0, 48, 4)) / 2;
    EXPECT_GT(middle, corners + 25) << index;
  }
}

TEST(TextureShape, IsOneSceneAtAnySize) {
  const Image small = drawTextureShape(32, 5, 7, 4);
  const Image large = drawTextureShape(128, 5, 7, 4);
  double difference = 0;  // of 4 × 4 block means against the pixels of the small image
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x)
      for (int c = 0; c < 3; ++c) {
        double mean = 0;
        for (int dy = 0; dy < 4; ++dy)
          for (int dx = 0; dx < 4; ++dx)
            mean += large.row(4 * y + dy)[3 * (4 * x + dx) + c] / 16.0;
        difference += std::abs(mean - small.row(y)[3 * x + c]) / (32 * 32 * 3);
      }
  EXPECT_LT(difference,
            12.0);  // levels; noise and antialiasing differ, scenes apart differ by > 40
}

/// Not an independent truth: it notices that images changed, and with them what the shipped demo
/// weights were trained on. Change it on purpose only, together with those.
TEST(TextureShape, ImagesAreThoseTheDemoWasTrainedOn) {
  EXPECT_EQ(hashOf(drawTextureShape(48, 0, 0, 0)), 0x61a6394cfb06791bULL);
  EXPECT_EQ(hashOf(drawTextureShape(48, 1, 12345, 4)), 0x4cccea58bdd12dcdULL);
  EXPECT_EQ(hashOf(drawTextureShape(64, 42, 7, 8)), 0x9f22d628bef027a3ULL);
  const auto dataset = valueOrThrow(openDataset(textureShape(0), Split::Validation));
  EXPECT_EQ(hashOf(valueOrThrow(dataset->sample(10)).image), 0x816a949606e0ef84ULL);
}

TEST(TextureShape, RefusesSizesAndLabelsOutOfRange) {
  auto spec = textureShape();
  spec.imageSize = 15;
  EXPECT_FALSE(openDataset(spec, Split::Train).ok());
  spec.imageSize = 16;
  EXPECT_TRUE(openDataset(spec, Split::Train).ok());
  spec.imageSize = 1 << 20;
  EXPECT_FALSE(openDataset(spec, Split::Train).ok());
  spec = textureShape();
  spec.trainSamples = 0;
  const auto empty = openDataset(spec, Split::Train);
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.error().text().find("empty"), std::string::npos);
  EXPECT_THROW(drawTextureShape(48, 0, 0, 9), Failure);
  EXPECT_THROW(drawTextureShape(48, 0, 0, -1), Failure);
}

}  // namespace
}  // namespace headlight
