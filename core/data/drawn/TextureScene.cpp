// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/drawn/TextureScene.h"

#include <algorithm>
#include <memory>

#include "core/base/Random.h"
#include "core/data/drawn/SceneShapes.h"
#include "core/data/drawn/TextureShape.h"

namespace headlight {
namespace {

constexpr std::uint64_t kSceneNoisePurpose = 0x736e6f69ULL;  // "snoi"

/// Calls `take(x, y, object)` for every pixel, row by row; object -1: the ground.
template <typename Take>
void forEachPixel(const SceneShapes& scene, int size, Take take) {
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x)
      take(x, y, scene.objectAt({x + 0.5, y + 0.5}));
}

/// The pixels that show an object.
struct SeenPixels {
  int left = kMaxTextureShapeSize, top = kMaxTextureShapeSize, right = -1, bottom = -1;
  std::int64_t count = 0;

  void add(int x, int y) {
    left = std::min(left, x);
    top = std::min(top, y);
    right = std::max(right, x);
    bottom = std::max(bottom, y);
    ++count;
  }
  PixelBox box() const {
    return {double(left), double(top), double(right - left + 1), double(bottom - top + 1)};
  }
};

LabeledBoxes boxesOf(const SceneShapes& scene, int size) {
  std::vector<SeenPixels> seen(scene.objects.size());
  forEachPixel(scene, size, [&](int x, int y, int object) {
    if (object >= 0) seen[static_cast<std::size_t>(object)].add(x, y);
  });
  LabeledBoxes boxes;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i].count > 0)
      boxes.push_back({seen[i].box(), scene.objects[i].label, double(seen[i].count), false});
  return boxes;
}

Image drawn(const SceneShapes& scene, int size, std::uint64_t noiseKey) {
  RandomStream noise(noiseKey);
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(std::size_t(size) * size * 3);
  std::uint8_t* out = pixels->data();
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x, out += 3)
      storeNoisy(scene.colorAt({x + 0.5, y + 0.5}, size), scene.noise, noise, out);
  return {size, size, std::move(pixels)};
}

}  // namespace

TextureScene drawTextureScene(int size, std::uint64_t seed, std::uint64_t index, int classes) {
  requireDrawnSize(size);
  const SceneShapes scene = randomSceneShapes(size, seed, index, classes);
  return {drawn(scene, size, streamKey({seed, kSceneNoisePurpose, index})), boxesOf(scene, size)};
}

std::vector<std::uint8_t> drawSceneClasses(int size, std::uint64_t seed, std::uint64_t index,
                                           int count) {
  requireDrawnSize(size);
  const SceneShapes scene = randomSceneShapes(size, seed, index, count);
  std::vector<std::uint8_t> classes;
  forEachPixel(scene, size, [&](int, int, int object) {
    const auto place = static_cast<std::size_t>(object);
    classes.push_back(object < 0 ? 0 : static_cast<std::uint8_t>(1 + scene.objects[place].label));
  });
  return classes;
}

}  // namespace headlight
