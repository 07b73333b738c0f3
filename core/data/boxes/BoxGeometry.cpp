// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/BoxGeometry.h"

#include <algorithm>

namespace headlight {

bool mayLearn(const LabeledBox& box) {
  return !box.crowd && box.area > 0 && box.box.width > 0 && box.box.height > 0;
}

LabeledBoxes learnableBoxes(const LabeledBoxes& boxes) {
  LabeledBoxes kept;
  std::copy_if(boxes.begin(), boxes.end(), std::back_inserter(kept), mayLearn);
  return kept;
}

PixelBox clippedTo(const PixelBox& region, const PixelBox& box) {
  const double left = std::max(region.x, box.x), top = std::max(region.y, box.y);
  const double right = std::min(region.x + region.width, box.x + box.width);
  const double bottom = std::min(region.y + region.height, box.y + box.height);
  return {left, top, std::max(0.0, right - left), std::max(0.0, bottom - top)};
}

bool hasCenterIn(const PixelBox& region, const PixelBox& box) {
  const double x = box.x + box.width / 2 - region.x, y = box.y + box.height / 2 - region.y;
  return x >= 0 && x < region.width && y >= 0 && y < region.height;
}

LabeledBoxes boxesInView(const LabeledBoxes& boxes, const PixelBox& region, double width,
                         double height) {
  const double across = width / region.width, down = height / region.height;
  LabeledBoxes seen;
  for (LabeledBox box : boxes) {
    const PixelBox part = clippedTo(region, box.box);
    if (!(part.area() > 0)) continue;
    box.area *= part.area() / box.box.area() * across * down;
    box.box = {(part.x - region.x) * across, (part.y - region.y) * down, part.width * across,
               part.height * down};
    seen.push_back(box);
  }
  return seen;
}

LabeledBoxes mirroredBoxes(LabeledBoxes boxes, double width) {
  for (LabeledBox& box : boxes)
    box.box.x = width - box.box.x - box.box.width;
  return boxes;
}

}  // namespace headlight
