// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/drawn/DrawnShape.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headlight {
namespace {

constexpr double kSqrt3 = std::numbers::sqrt3;

double triangleDistance(DrawnPoint p, double halfSide) {
  p.x = std::abs(p.x) - halfSide;
  p.y = -p.y + halfSide / kSqrt3;  // y points down in an image
  if (p.x + kSqrt3 * p.y > 0) p = {(p.x - kSqrt3 * p.y) / 2, (-kSqrt3 * p.x - p.y) / 2};
  p.x -= std::clamp(p.x, -2 * halfSide, 0.0);
  const double length = std::sqrt(p.x * p.x + p.y * p.y);
  return p.y > 0 ? -length : length;
}

double crossDistance(DrawnPoint p, double reach, double halfWidth) {
  p = {std::abs(p.x), std::abs(p.y)};
  if (p.y > p.x) std::swap(p.x, p.y);
  const DrawnPoint q = {p.x - reach, p.y - halfWidth};
  const double k = std::max(q.x, q.y);
  const DrawnPoint w = k > 0 ? q : DrawnPoint{halfWidth - p.x, -k};
  const double x = std::max(w.x, 0.0);
  const double y = std::max(w.y, 0.0);
  return std::copysign(std::sqrt(x * x + y * y), k);
}

}  // namespace

double DrawnShape::distance(DrawnPoint pixel) const {
  const DrawnPoint p = placement.toLocal(pixel);
  if (kind == ShapeKind::Disc) return std::sqrt(p.x * p.x + p.y * p.y) - radius;
  if (kind == ShapeKind::Triangle)
    return triangleDistance(p, 1.19 * radius - kSqrt3 * rounding) - rounding;
  return crossDistance(p, 1.14 * radius - rounding, 0.40 * radius - rounding) - rounding;
}

double DrawnShape::reach(ShapeKind kind) {
  return kind == ShapeKind::Disc ? 1.0 : kind == ShapeKind::Triangle ? 1.30 : 1.16;
}

}  // namespace headlight
