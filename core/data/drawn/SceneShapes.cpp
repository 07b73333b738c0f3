// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/drawn/SceneShapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/analysis/boxes/PixelBox.h"
#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr std::uint64_t kSceneShapesPurpose = 0x73686170ULL;  // "shap"
constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kMostObjects = 4, kPlaces = 20;
constexpr double kLeastSide = 1.0 / 6, kMostSide = 0.5;  // of the image
constexpr double kMostHidden = 0.12;  // of the smaller of two squares around objects
constexpr double kInside = 0.4;       // of a side: how far a center is from the image's border
constexpr double kLeastPeriod = 4;    // pixels: finer textures blur

/// Around a shape however it is turned.
PixelBox squareAround(const DrawnShape& shape) {
  const double reach = shape.radius * DrawnShape::reach(shape.kind);
  const DrawnPoint center = shape.placement.center;
  return {center.x - reach, center.y - reach, 2 * reach, 2 * reach};
}

bool hidesMuch(const PixelBox& a, const PixelBox& b) {
  const PixelBox& smaller = a.width < b.width ? a : b;
  const PixelBox& larger = a.width < b.width ? b : a;
  return overlapOf(smaller, larger, true) > kMostHidden;
}

bool hasRoom(const DrawnShape& shape, const std::vector<SceneObject>& others) {
  return std::none_of(others.begin(), others.end(), [&](const SceneObject& other) {
    return hidesMuch(squareAround(shape), squareAround(other.shape));
  });
}

DrawnTexture randomGround(RandomStream& draw, int size) {
  const auto kind = static_cast<TextureKind>(draw.below(kTextures));
  DrawnTexture ground = randomTexture(draw, kind, size, 0.11, 0.24);
  const double hue = draw.uniform(0, kTurn), lightness = draw.uniform(0.24, 0.46);
  const double chroma = draw.uniform(0.02, 0.08), contrast = draw.uniform(0.03, 0.065);
  ground.first = okColor(lightness - contrast, chroma, hue);
  ground.second = okColor(lightness + contrast, chroma, hue + 0.3);
  return ground;
}

/// Four to five repeats across a shape of `side` pixels.
DrawnTexture randomFilling(RandomStream& draw, TextureKind kind, int size, double side) {
  DrawnTexture filling = randomTexture(draw, kind, size, 0.20 * side / size, 0.26 * side / size);
  filling.period = std::max(filling.period, kLeastPeriod);
  const double hue = draw.uniform(0, kTurn);
  filling.first = randomColor(draw, {0.88, 0.97}, {0.03, 0.13}, hue);
  const double other = hue + draw.uniform(-1.2, 1.2);
  filling.second = randomColor(draw, {0.46, 0.62}, {0.10, 0.20}, other);
  if (draw.uniform() < 0.5) std::swap(filling.first, filling.second);
  return filling;
}

DrawnShape randomShape(RandomStream& draw, ShapeKind kind, int size) {
  DrawnShape shape;
  shape.kind = kind;
  const double side = draw.uniform(kLeastSide, kMostSide) * size;
  shape.radius = side / (2 * DrawnShape::reach(kind));
  shape.rounding = draw.uniform(0.015, 0.04) * side;
  const double x = draw.uniform(kInside * side, size - kInside * side);
  const double y = draw.uniform(kInside * side, size - kInside * side);
  shape.placement = placementAt({x, y}, draw.uniform(-0.26, 0.26));  // ± 15°
  return shape;
}

SceneObject randomObject(RandomStream& draw, int size, int classes) {
  SceneObject object;
  object.label = static_cast<int>(draw.below(static_cast<std::uint64_t>(classes)));
  object.shape = randomShape(draw, static_cast<ShapeKind>(object.label % kShapes), size);
  const double side = squareAround(object.shape).width;
  const auto kind = static_cast<TextureKind>(object.label / kShapes);
  object.filling = randomFilling(draw, kind, size, side);
  const double across = draw.uniform(-0.04, 0.04) * side, down = draw.uniform(0.0, 0.05) * side;
  object.shadow = {across, down};
  return object;
}

DrawnPoint randomLight(RandomStream& draw, int size) {
  const double angle = draw.uniform(0, kTurn), strength = draw.uniform(0.0, 0.22) / size;
  return {strength * std::cos(angle), strength * std::sin(angle)};
}

/// What lies beneath, darkened by the object's shadow, and the object on it.
SceneColor drawnOn(const SceneColor& beneath, const SceneObject& object, DrawnPoint p) {
  const double inside = covered(-object.shape.distance(p));
  SceneColor color = beneath;
  if (inside < 1) {
    const double away = object.shape.distance({p.x - object.shadow.x, p.y - object.shadow.y}) /
                        (0.3 * object.shape.radius);
    color = mixedColors(color, SceneColor{}, 0.30 * std::clamp(1 - away, 0.0, 1.0));
  }
  return inside > 0 ? mixedColors(color, object.filling.at(p), inside) : color;
}

}  // namespace

SceneColor SceneShapes::colorAt(DrawnPoint pixel, int size) const {
  SceneColor color = ground.at(pixel);
  for (const SceneObject& object : objects)
    color = drawnOn(color, object, pixel);
  const double shine = 1 + light.x * (pixel.x - 0.5 * size) + light.y * (pixel.y - 0.5 * size);
  for (double& channel : color)
    channel *= shine;
  return color;
}

int SceneShapes::objectAt(DrawnPoint pixel) const {
  for (int i = static_cast<int>(objects.size()); i-- > 0;)
    if (objects[static_cast<std::size_t>(i)].shape.distance(pixel) <= 0) return i;
  return -1;
}

SceneShapes randomSceneShapes(int size, std::uint64_t seed, std::uint64_t index, int classes) {
  RandomStream draw(streamKey({seed, kSceneShapesPurpose, index}));
  SceneShapes scene;
  scene.ground = randomGround(draw, size);
  scene.light = randomLight(draw, size);
  scene.noise = draw.uniform(2.0, 16.0);
  const auto wanted = 1 + static_cast<std::size_t>(draw.below(kMostObjects));
  for (int i = 0; i < kPlaces && scene.objects.size() < wanted; ++i) {
    SceneObject object = randomObject(draw, size, classes);
    if (hasRoom(object.shape, scene.objects)) scene.objects.push_back(object);
  }
  return scene;
}

}  // namespace headlight
