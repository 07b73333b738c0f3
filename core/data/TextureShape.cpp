// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/TextureShape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/Random.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::uint64_t kScenePurpose = 0x7363656eULL;  // "scen"
constexpr std::uint64_t kNoisePurpose = 0x6e6f6973ULL;  // "nois"
constexpr double kPi = std::numbers::pi;
constexpr double kSqrt3 = std::numbers::sqrt3;

enum class TextureKind { Stripes, Checks, Dots };
enum class ShapeKind { Disc, Triangle, Cross };
constexpr int kTextures = 3;
constexpr int kShapes = 3;

struct Point {
  double x = 0;
  double y = 0;
};

using Color = std::array<double, 3>;  // sRGB, 0 … 255

Color mix(const Color& a, const Color& b, double shareOfB) {
  return {a[0] + (b[0] - a[0]) * shareOfB, a[1] + (b[1] - a[1]) * shareOfB,
          a[2] + (b[2] - a[2]) * shareOfB};
}

/// OKLCH (Ottosson 2020) to sRGB: lightness as the eye has it, so that contrast can be promised
/// whatever the hue. `hue` in radians.
Color okColor(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue);
  const double b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  const Color linear = {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
  Color color;
  for (int c = 0; c < 3; ++c) {
    const double value = std::clamp(linear[c], 0.0, 1.0);
    color[c] =
        255.0 * (value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055);
  }
  return color;
}

/// A turn and a shift; positions in pixels.
struct Placement {
  Point center;
  double cosine = 1;
  double sine = 0;
  Point toLocal(Point p) const {
    const double x = p.x - center.x;
    const double y = p.y - center.y;
    return {cosine * x + sine * y, cosine * y - sine * x};
  }
};

Placement place(Point center, double angle) {
  return {center, std::cos(angle), std::sin(angle)};
}

/// Coverage of a pixel at signed distance `inside` pixels within an edge.
double covered(double inside) {
  return std::clamp(inside + 0.5, 0.0, 1.0);
}

struct Texture {
  TextureKind kind = TextureKind::Stripes;
  double period = 1;  // pixels
  Placement placement;
  Color first{};
  Color second{};

  /// Pixels by which a band of half a period reaches beyond coordinate u; negative outside.
  double band(double u) const {
    const double phase = u / period;
    return (0.25 - std::abs(phase - std::floor(phase) - 0.5)) * period;
  }

  Color at(Point pixel) const {
    const Point p = placement.toLocal(pixel);
    double share = 0;
    if (kind == TextureKind::Stripes) {
      share = covered(band(p.x));
    } else if (kind == TextureKind::Checks) {
      const double across = covered(band(p.x));
      const double down = covered(band(p.y));
      share = across * (1 - down) + down * (1 - across);
    } else {
      const double dx = (p.x / period - std::floor(p.x / period) - 0.5) * period;
      const double dy = (p.y / period - std::floor(p.y / period) - 0.5) * period;
      share = covered(0.32 * period - std::sqrt(dx * dx + dy * dy));
    }
    return mix(first, second, share);
  }
};

double triangleDistance(Point p, double halfSide) {
  p.x = std::abs(p.x) - halfSide;
  p.y = -p.y + halfSide / kSqrt3;  // y points down in an image
  if (p.x + kSqrt3 * p.y > 0) p = {(p.x - kSqrt3 * p.y) / 2, (-kSqrt3 * p.x - p.y) / 2};
  p.x -= std::clamp(p.x, -2 * halfSide, 0.0);
  const double length = std::sqrt(p.x * p.x + p.y * p.y);
  return p.y > 0 ? -length : length;
}

double crossDistance(Point p, double reach, double halfWidth) {
  p = {std::abs(p.x), std::abs(p.y)};
  if (p.y > p.x) std::swap(p.x, p.y);
  const Point q = {p.x - reach, p.y - halfWidth};
  const double k = std::max(q.x, q.y);
  const Point w = k > 0 ? q : Point{halfWidth - p.x, -k};
  const double x = std::max(w.x, 0.0);
  const double y = std::max(w.y, 0.0);
  return std::copysign(std::sqrt(x * x + y * y), k);
}

struct Shape {
  ShapeKind kind = ShapeKind::Disc;
  double radius = 1;  // of the disc; the others are drawn with a like area
  double rounding = 0;
  Placement placement;

  /// Signed distance in pixels, negative inside.
  double distance(Point pixel) const {
    const Point p = placement.toLocal(pixel);
    if (kind == ShapeKind::Disc) return std::sqrt(p.x * p.x + p.y * p.y) - radius;
    if (kind == ShapeKind::Triangle)
      return triangleDistance(p, 1.19 * radius - kSqrt3 * rounding) - rounding;
    return crossDistance(p, 1.14 * radius - rounding, 0.40 * radius - rounding) - rounding;
  }
  /// How far it reaches from its center, as a multiple of `radius`.
  static double reach(ShapeKind kind) {
    return kind == ShapeKind::Disc ? 1.0 : kind == ShapeKind::Triangle ? 1.30 : 1.16;
  }
};

struct Scene {
  Texture ground;
  Texture filling;
  Shape shape;
  Point light;       // change of brightness per pixel
  Point shadow;      // offset, pixels
  double noise = 0;  // amplitude, 0 … 255
};

struct Range {
  double low = 0;
  double high = 0;
};

// One draw a statement here: the order in which a call's arguments are evaluated is the compiler's.
Color randomColor(RandomStream& draw, Range lightness, Range chroma, double hue) {
  const double l = draw.uniform(lightness.low, lightness.high);
  const double c = draw.uniform(chroma.low, chroma.high);
  return okColor(l, c, hue);
}

Texture randomTexture(RandomStream& draw, TextureKind kind, int size, double least, double most) {
  Texture texture;
  texture.kind = kind;
  texture.period = std::max(3.0, draw.uniform(least, most) * size);
  const double angle = draw.uniform(0, 2 * kPi);
  texture.placement = place({draw.uniform(0, size), draw.uniform(0, size)}, angle);
  return texture;
}

/// Everything of an image but its pixels; lengths scale with `size`, so a scene is one at any
/// size.
Scene randomScene(RandomStream& draw, int size, TextureKind texture, ShapeKind shape) {
  Scene scene;
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
  const double reach = scene.shape.radius * Shape::reach(shape);
  const double room = std::clamp(0.5 * size - reach, 0.03 * size, 0.09 * size);
  const Point center = {0.5 * size + draw.uniform(-room, room),
                        0.5 * size + draw.uniform(-room, room)};
  scene.shape.placement = place(center, draw.uniform(-0.26, 0.26));  // ± 15°

  const double lightAngle = draw.uniform(0, 2 * kPi);
  const double lightStrength = draw.uniform(0.0, 0.22) / size;
  scene.light = {lightStrength * std::cos(lightAngle), lightStrength * std::sin(lightAngle)};
  scene.shadow = {draw.uniform(-0.03, 0.03) * size, draw.uniform(0.0, 0.035) * size};
  scene.noise = draw.uniform(2.0, 16.0);
  return scene;
}

Color shade(const Scene& scene, Point p, int size) {
  const double distance = scene.shape.distance(p);
  const double inside = covered(-distance);
  Color color{};
  if (inside < 1) {
    const double away =
        scene.shape.distance({p.x - scene.shadow.x, p.y - scene.shadow.y}) / (0.09 * size);
    const double dark = 0.30 * std::clamp(1 - away, 0.0, 1.0);
    color = mix(scene.ground.at(p), Color{}, dark);
  }
  if (inside > 0) color = mix(color, scene.filling.at(p), inside);
  const double light = 1 + scene.light.x * (p.x - 0.5 * size) + scene.light.y * (p.y - 0.5 * size);
  for (double& channel : color)
    channel *= light;
  return color;
}

/// Triangular noise in (−1, 1) from 20 bits.
double noiseOf(std::uint64_t bits) {
  return (static_cast<double>(bits & 1023) + static_cast<double>((bits >> 10) & 1023)) / 1023.0 - 1;
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

Image drawTextureShape(int size, std::uint64_t seed, std::uint64_t index, int label) {
  if (size < kMinTextureShapeSize || size > kMaxTextureShapeSize)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("texture-shape images are ") + std::to_string(kMinTextureShapeSize) + " to " +
                       std::to_string(kMaxTextureShapeSize) + tr(" pixels wide, not ") +
                       std::to_string(size),
                   "imageSize"});
  if (label < 0 || label >= kTextures * kShapes)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("texture-shape has labels 0 to 8, not ") + std::to_string(label), ""});
  RandomStream draw(streamKey({seed, kScenePurpose, index}));
  const Scene scene = randomScene(draw, size, static_cast<TextureKind>(label / kShapes),
                                  static_cast<ShapeKind>(label % kShapes));
  RandomStream noise(streamKey({seed, kNoisePurpose, index}));
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(std::size_t(size) * size * 3);
  std::uint8_t* out = pixels->data();
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const Color color = shade(scene, {x + 0.5, y + 0.5}, size);
      const std::uint64_t bits = noise.next();
      for (int c = 0; c < 3; ++c) {
        const double value = color[c] + scene.noise * noiseOf(bits >> (20 * c));
        *out++ = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0) + 0.5);
      }
    }
  }
  return {size, size, std::move(pixels)};
}

}  // namespace headlight
