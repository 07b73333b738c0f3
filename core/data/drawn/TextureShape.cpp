// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/drawn/TextureShape.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/data/drawn/DrawnShape.h"

namespace headlight {
namespace {

constexpr std::uint64_t kScenePurpose = 0x7363656eULL;  // "scen"
constexpr std::uint64_t kNoisePurpose = 0x6e6f6973ULL;  // "nois"
constexpr double kPi = std::numbers::pi;

struct TextureShapeScene {
  DrawnTexture ground;
  DrawnTexture filling;
  DrawnShape shape;
  DrawnPoint light;   // change of brightness per pixel
  DrawnPoint shadow;  // offset, pixels
  double noise = 0;   // amplitude, 0 … 255
};

/// Everything of an image but its pixels; lengths scale with `size`, so a scene is one at any
/// size.
TextureShapeScene randomScene(RandomStream& draw, int size, TextureKind texture, ShapeKind shape) {
  TextureShapeScene scene;
  const double hue = draw.uniform(0, 2 * kPi);
  // Checks and dots repeat in two directions: the same spacing would look busier.
  const double wider = texture == TextureKind::Stripes ? 1.0 : 1.12;
  scene.filling = randomTexture(draw, texture, size, 0.125 * wider, 0.170 * wider);
  scene.filling.first = randomColor(draw, {0.88, 0.97}, {0.03, 0.13}, hue);
  scene.filling.second =
      randomColor(draw, {0.46, 0.62}, {0.10, 0.20}, hue + draw.uniform(-1.2, 1.2));
  if (draw.uniform() < 0.5) std::swap(scene.filling.first, scene.filling.second);

  // The ground carries a texture of its own, any of the three, in faint contrast: a patch that is
  // merely striped says nothing until it is known to lie inside the shape.
  const auto groundKind = static_cast<TextureKind>(draw.below(kTextures));
  scene.ground = randomTexture(draw, groundKind, size, 0.11, 0.24);
  const double groundHue = hue + draw.uniform(1.6, 2 * kPi - 1.6);
  const double groundLightness = draw.uniform(0.24, 0.46);
  const double groundChroma = draw.uniform(0.02, 0.08);
  const double contrast = draw.uniform(0.03, 0.065);
  scene.ground.first = okColor(groundLightness - contrast, groundChroma, groundHue);
  scene.ground.second = okColor(groundLightness + contrast, groundChroma, groundHue + 0.3);

  scene.shape.kind = shape;
  scene.shape.radius = draw.uniform(0.30, 0.39) * size;
  scene.shape.rounding = draw.uniform(0.01, 0.03) * size;
  const double reach = scene.shape.radius * DrawnShape::reach(shape);
  const double room = std::clamp(0.5 * size - reach, 0.03 * size, 0.09 * size);
  const DrawnPoint center = {0.5 * size + draw.uniform(-room, room),
                             0.5 * size + draw.uniform(-room, room)};
  scene.shape.placement = placementAt(center, draw.uniform(-0.26, 0.26));  // ± 15°

  const double lightAngle = draw.uniform(0, 2 * kPi);
  const double lightStrength = draw.uniform(0.0, 0.22) / size;
  scene.light = {lightStrength * std::cos(lightAngle), lightStrength * std::sin(lightAngle)};
  scene.shadow = {draw.uniform(-0.03, 0.03) * size, draw.uniform(0.0, 0.035) * size};
  scene.noise = draw.uniform(2.0, 16.0);
  return scene;
}

SceneColor shade(const TextureShapeScene& scene, DrawnPoint p, int size) {
  const double distance = scene.shape.distance(p);
  const double inside = covered(-distance);
  SceneColor color{};
  if (inside < 1) {
    const double away =
        scene.shape.distance({p.x - scene.shadow.x, p.y - scene.shadow.y}) / (0.09 * size);
    const double dark = 0.30 * std::clamp(1 - away, 0.0, 1.0);
    color = mixedColors(scene.ground.at(p), SceneColor{}, dark);
  }
  if (inside > 0) color = mixedColors(color, scene.filling.at(p), inside);
  const double light = 1 + scene.light.x * (p.x - 0.5 * size) + scene.light.y * (p.y - 0.5 * size);
  for (double& channel : color)
    channel *= light;
  return color;
}

}  // namespace

const std::vector<std::string>& textureShapeClassNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const char* texture : {"striped", "checkered", "dotted"})
      for (const char* shape : {"disc", "triangle", "cross"})
        all.push_back(std::string(texture) + " " + shape);
    return all;
  }();
  return names;
}

void requireDrawnSize(int size) {
  if (size < kMinTextureShapeSize || size > kMaxTextureShapeSize)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("texture-shape images are ") + std::to_string(kMinTextureShapeSize) + " to " +
                       std::to_string(kMaxTextureShapeSize) + tr(" pixels wide, not ") +
                       std::to_string(size) + tr("; choose another imageSize"),
                   "imageSize"});
}

Image drawTextureShape(int size, std::uint64_t seed, std::uint64_t index, int label) {
  requireDrawnSize(size);
  if (label < 0 || label >= kTextures * kShapes)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("texture-shape has labels 0 to 8, not ") + std::to_string(label), ""});
  RandomStream draw(streamKey({seed, kScenePurpose, index}));
  const TextureShapeScene scene = randomScene(draw, size, static_cast<TextureKind>(label / kShapes),
                                              static_cast<ShapeKind>(label % kShapes));
  RandomStream noise(streamKey({seed, kNoisePurpose, index}));
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(std::size_t(size) * size * 3);
  std::uint8_t* out = pixels->data();
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x, out += 3)
      storeNoisy(shade(scene, {x + 0.5, y + 0.5}, size), scene.noise, noise, out);
  return {size, size, std::move(pixels)};
}

}  // namespace headlight
