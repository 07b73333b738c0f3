// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/BoxCrop.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/data/boxes/BoxGeometry.h"

namespace headlight {
namespace {

constexpr double kNoCrop = -1;
constexpr std::array<double, 7> kLeastOverlaps{kNoCrop, 0, 0.1, 0.3, 0.5, 0.7, 0.9};
constexpr int kTries = 50;
constexpr double kLeastScale = 0.3, kMostAspect = 2;

PixelBox drawnCrop(RandomStream& draw, int width, int height) {
  const double scale = draw.uniform(kLeastScale, 1), square = scale * scale;
  const double aspect =
      draw.uniform(std::max(1 / kMostAspect, square), std::min(kMostAspect, 1 / square));
  const auto side = [](int whole, double share) {
    return std::clamp(static_cast<int>(whole * share), 1, whole);
  };
  const int across = side(width, scale * std::sqrt(aspect));
  const int down = side(height, scale / std::sqrt(aspect));
  const auto top = static_cast<double>(draw.below(height - down + 1));
  const auto left = static_cast<double>(draw.below(width - across + 1));
  return {left, top, double(across), double(down)};
}

bool serves(const PixelBox& crop, const LabeledBoxes& boxes, double leastOverlap) {
  const bool overlaps = std::any_of(boxes.begin(), boxes.end(), [&](const LabeledBox& box) {
    return overlapOf(crop, box.box, false) >= leastOverlap;
  });
  return overlaps && !boxesInCrop(boxes, crop).empty();
}

}  // namespace

PixelBox randomBoxCrop(RandomStream& draw, int width, int height, const LabeledBoxes& boxes) {
  const PixelBox whole{0, 0, double(width), double(height)};
  if (boxes.empty()) return whole;
  for (const std::int64_t place : permutation(std::ssize(kLeastOverlaps), draw.next())) {
    const double least = kLeastOverlaps[static_cast<std::size_t>(place)];
    if (least == kNoCrop) return whole;
    for (int i = 0; i < kTries; ++i)
      if (const PixelBox crop = drawnCrop(draw, width, height); serves(crop, boxes, least))
        return crop;
  }
  return whole;
}

LabeledBoxes boxesInCrop(const LabeledBoxes& boxes, const PixelBox& crop) {
  LabeledBoxes inside;
  std::copy_if(boxes.begin(), boxes.end(), std::back_inserter(inside),
               [&](const LabeledBox& box) { return hasCenterIn(crop, box.box); });
  return boxesInView(inside, crop, crop.width, crop.height);
}

}  // namespace headlight
