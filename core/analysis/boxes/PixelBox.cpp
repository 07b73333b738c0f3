// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/boxes/PixelBox.h"

#include <algorithm>

namespace headlight {

double overlapOf(const PixelBox& found, const PixelBox& truth, bool crowd) {
  const double width =
      std::min(found.width + found.x, truth.width + truth.x) - std::max(found.x, truth.x);
  const double height =
      std::min(found.height + found.y, truth.height + truth.y) - std::max(found.y, truth.y);
  if (width <= 0 || height <= 0) return 0;
  const double shared = width * height;
  return shared / (crowd ? found.area() : found.area() + truth.area() - shared);
}

double generalizedOverlap(const PixelBox& a, const PixelBox& b) {
  const double overlap = overlapOf(a, b, false);
  const double both = (a.area() + b.area()) / (1 + overlap);
  const double around = (std::max(a.x + a.width, b.x + b.width) - std::min(a.x, b.x)) *
                        (std::max(a.y + a.height, b.y + b.height) - std::min(a.y, b.y));
  return overlap - (around - both) / around;
}

}  // namespace headlight
