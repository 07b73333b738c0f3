// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/bench/DrawnBatch.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "core/data/drawn/TextureScene.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

constexpr int kScenePixels = 64;  // a side; brought to the images' sides
constexpr std::uint64_t kBenchedScenes = 1;

LabeledBoxes sceneBoxes(const ModelConfig& config, std::int64_t image) {
  const double across = config.imageWidthPixels() / double{kScenePixels},
               down = config.imageHeightPixels() / double{kScenePixels};
  LabeledBoxes boxes =
      drawTextureScene(kScenePixels, kBenchedScenes, static_cast<std::uint64_t>(image)).boxes;
  for (LabeledBox& one : boxes) {
    one.box = {one.box.x * across, one.box.y * down, one.box.width * across, one.box.height * down};
    one.area *= across * down;
    one.label %= config.classes;
  }
  return boxes;
}

/// [H, W] uint8.
at::Tensor sceneClasses(const ModelConfig& config, std::int64_t image) {
  const std::vector<std::uint8_t> classes =
      drawSceneClasses(kScenePixels, kBenchedScenes, static_cast<std::uint64_t>(image));
  const std::vector<std::int64_t> wide(classes.begin(), classes.end());
  const at::Tensor scene =
      at::remainder(at::tensor(wide, at::kLong), config.classes).to(at::kFloat);
  return at::upsample_nearest2d(scene.view({1, 1, kScenePixels, kScenePixels}),
                                {config.imageHeightPixels(), config.imageWidthPixels()})
      .view({config.imageHeightPixels(), config.imageWidthPixels()})
      .to(at::kByte);
}

}  // namespace

Batch drawnBatch(const ModelConfig& config, std::int64_t images) {
  Batch batch;
  batch.images =
      at::randn({images, 3, config.imageHeightPixels(), config.imageWidthPixels()}, at::kFloat);
  batch.labels = at::randint(std::max(1, config.classes), {images}, at::kLong);
  const Task task = taskOf(config);
  std::vector<at::Tensor> segments;
  for (std::int64_t image = 0; image < images; ++image) {
    if (task == Task::Detect) batch.boxes.push_back(sceneBoxes(config, image));
    if (task == Task::Segment) segments.push_back(sceneClasses(config, image));
  }
  if (!segments.empty()) batch.segments = at::stack(segments);
  return batch;
}

}  // namespace headlight
