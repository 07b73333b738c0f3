// SPDX-License-Identifier: GPL-3.0-or-later

// Scenes of textured shapes: their boxes are where the shapes are, and nothing but seed and index
// decides what is drawn.

#include "core/data/drawn/TextureScene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/Random.h"
#include "core/data/drawn/SceneShapes.h"
#include "core/data/drawn/TextureShape.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

DatasetSpec scenes(std::uint64_t seed = 0) {
  DatasetSpec spec;
  spec.kind = kTextureScenes;
  spec.seed = seed;
  spec.imageSize = 96;
  spec.trainSamples = 12;
  spec.validationSamples = 5;
  return spec;
}

std::uint64_t sceneHash(const TextureScene& scene) {
  std::uint64_t hash = 0;
  for (const std::uint8_t value : *scene.image.pixels)
    hash = mixBits(hash ^ value);
  for (const LabeledBox& box : scene.boxes)
    for (const double number : {box.box.x, box.box.y, box.box.width, box.box.height, box.area})
      hash = mixBits(hash ^ static_cast<std::uint64_t>(number));
  return hash;
}

TEST(TextureScene, HasOneToFourShapesOfSoundSizes) {
  std::set<std::size_t> counts;
  std::set<int> labels;
  double least = 96, most = 0;
  for (std::uint64_t index = 0; index < 300; ++index) {
    const TextureScene scene = drawTextureScene(96, 7, index);
    counts.insert(scene.boxes.size());
    for (const LabeledBox& box : scene.boxes) {
      labels.insert(box.label);
      EXPECT_TRUE(box.box.x >= 0 && box.box.y >= 0 && box.box.x + box.box.width <= 96 &&
                  box.box.y + box.box.height <= 96);
      least = std::min({least, box.box.width, box.box.height});
      most = std::max({most, box.box.width, box.box.height});
      EXPECT_LE(box.area, box.box.area());
      EXPECT_GT(box.area, 0.3 * box.box.area()) << index;
    }
  }
  EXPECT_EQ(counts, (std::set<std::size_t>{1, 2, 3, 4}));
  EXPECT_EQ(labels.size(), 9u);
  EXPECT_GE(least, 10);
  EXPECT_LE(most, 49);
}

TEST(TextureScene, BoxesOverlapLittle) {
  for (std::uint64_t index = 0; index < 300; ++index) {
    const LabeledBoxes boxes = drawTextureScene(48, 3, index).boxes;
    for (std::size_t a = 0; a < boxes.size(); ++a)
      for (std::size_t b = a + 1; b < boxes.size(); ++b)
        EXPECT_LE(overlapOf(boxes[a].box, boxes[b].box, false), 0.2) << index;
  }
}

/// By the signed distances themselves, one object after another.
TEST(TextureScene, BoxesAreTightAroundWhatIsSeen) {
  for (std::uint64_t index = 0; index < 40; ++index) {
    const SceneShapes shapes = randomSceneShapes(64, 5, index, kTextureShapeClasses);
    const LabeledBoxes boxes = drawTextureScene(64, 5, index).boxes;
    ASSERT_EQ(boxes.size(), shapes.objects.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      double left = 64, right = 0, top = 64, bottom = 0;
      for (double y = 0.5; y < 64; ++y)
        for (double x = 0.5; x < 64; ++x) {
          bool seen = shapes.objects[i].shape.distance({x, y}) <= 0;
          for (std::size_t later = i + 1; later < boxes.size(); ++later)
            seen = seen && shapes.objects[later].shape.distance({x, y}) > 0;
          if (!seen) continue;
          left = std::min(left, x - 0.5);
          right = std::max(right, x + 0.5);
          top = std::min(top, y - 0.5);
          bottom = std::max(bottom, y + 0.5);
        }
      EXPECT_EQ(boxes[i].box, (PixelBox{left, top, right - left, bottom - top})) << index;
      EXPECT_EQ(boxes[i].label, shapes.objects[i].label);
    }
  }
}

TEST(TextureScene, ClassesOfPixelsFitTheBoxes) {
  for (std::uint64_t index = 0; index < 40; ++index) {
    const LabeledBoxes boxes = drawTextureScene(64, 5, index).boxes;
    const auto classes = drawSceneClasses(64, 5, index);
    ASSERT_EQ(classes.size(), 64u * 64);
    double drawn = 0, area = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] == 0) continue;
      ++drawn;
      const double x = double(i % 64), y = double(i / 64);
      EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(), [&](const LabeledBox& box) {
        return box.label + 1 == classes[i] && x >= box.box.x && y >= box.box.y &&
               x < box.box.x + box.box.width && y < box.box.y + box.box.height;
      }));
    }
    for (const LabeledBox& box : boxes)
      area += box.area;
    EXPECT_EQ(drawn, area) << index;
  }
}

TEST(TextureScene, IsAFunctionOfSeedAndIndex) {
  EXPECT_EQ(sceneHash(drawTextureScene(64, 1, 2)), sceneHash(drawTextureScene(64, 1, 2)));
  std::set<std::uint64_t> hashes;
  for (std::uint64_t index = 0; index < 20; ++index)
    for (std::uint64_t seed = 0; seed < 2; ++seed)
      hashes.insert(sceneHash(drawTextureScene(32, seed, index)));
  EXPECT_EQ(hashes.size(), 40u);
}

TEST(TextureScene, IsTheSameSceneAtAnotherSize) {
  for (std::uint64_t index = 0; index < 20; ++index) {
    const LabeledBoxes small = drawTextureScene(64, 1, index).boxes;
    const LabeledBoxes large = drawTextureScene(128, 1, index).boxes;
    ASSERT_EQ(small.size(), large.size());
    for (std::size_t i = 0; i < small.size(); ++i) {
      EXPECT_EQ(small[i].label, large[i].label);
      EXPECT_NEAR(small[i].box.x * 2, large[i].box.x, 3);
      EXPECT_NEAR(small[i].box.width * 2, large[i].box.width, 4);
    }
  }
}

TEST(TextureScene, IsADatasetWithBoxes) {
  const auto train = valueOrThrow(openDataset(scenes(), Split::Train));
  const auto validation = valueOrThrow(openDataset(scenes(), Split::Validation));
  EXPECT_TRUE(train->hasBoxes());
  EXPECT_EQ(train->size(), 12);
  EXPECT_EQ(validation->size(), 5);
  EXPECT_EQ(train->classNames(), textureShapeClassNames());
  const Sample first = valueOrThrow(train->sample(0));
  EXPECT_EQ(first.image.width, 96);
  EXPECT_FALSE(first.boxes.empty());
  EXPECT_NE(*first.image.pixels, *valueOrThrow(validation->sample(0)).image.pixels);
  EXPECT_NE(
      *first.image.pixels,
      *valueOrThrow(valueOrThrow(openDataset(scenes(1), Split::Train))->sample(0)).image.pixels);
  EXPECT_EQ(train->describe(3), "texture-scenes train #3");
  EXPECT_TRUE(train->notes().empty());
}

TEST(TextureScene, ShowsTheFirstClassesAlone) {
  DatasetSpec spec = scenes();
  spec.drawnClasses = 2;
  const auto all = textureShapeClassNames();
  const std::vector<std::string> two{all[0], all[1]};
  for (const char* kind : {"texture-shape", "texture-scenes", "texture-segments"}) {
    spec.kind = kind;
    const auto dataset = valueOrThrow(openDataset(spec, Split::Train));
    std::vector<std::string> names = two;
    if (dataset->hasSegments()) names.insert(names.begin(), "background");
    EXPECT_EQ(dataset->classNames(), names);
    std::set<int> seen;
    for (std::int64_t i = 0; i < dataset->size(); ++i) {
      const Sample sample = valueOrThrow(dataset->sample(i));
      if (!dataset->hasBoxes() && !dataset->hasSegments()) seen.insert(sample.label);
      for (const LabeledBox& box : sample.boxes)
        seen.insert(box.label);
      for (const std::uint8_t pixel : sample.segments.classes)
        if (pixel > 0) seen.insert(pixel - 1);
    }
    EXPECT_EQ(seen, (std::set<int>{0, 1})) << kind;
  }
}

TEST(TextureScene, LimitsKeepTheBoxes) {
  DatasetSpec spec = scenes();
  spec.maxSamples = 3;
  const auto some = valueOrThrow(openDataset(spec, Split::Train));
  EXPECT_EQ(some->size(), 3);
  EXPECT_TRUE(some->hasBoxes());
  const auto part = valueOrThrow(some->part(1, {}));
  EXPECT_EQ(part.boxes, valueOrThrow(some->sample(1)).boxes);
  EXPECT_FALSE(part.boxes.empty());
}

TEST(TextureScene, WrongSizesAreRefused) {
  DatasetSpec spec = scenes();
  spec.imageSize = 8;
  EXPECT_EQ(openDataset(spec, Split::Train).error().where, "imageSize");
  for (const int classes : {-1, 0, 1, 10}) {
    spec = scenes();
    spec.drawnClasses = classes;
    EXPECT_EQ(openDataset(spec, Split::Train).error().where, "drawn_classes");
  }
  EXPECT_THROW(drawTextureScene(4096, 0, 0), Failure);
  EXPECT_THROW(drawSceneClasses(8, 0, 0), Failure);
}

}  // namespace
}  // namespace headlight
