// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/SegmentFigure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "core/imaging/drawing/KeyDrawing.h"
#include "core/workbench/figures/ObjectFigure.h"

namespace headlight {
namespace {

ClassPalette makeSegmentPalette() {
  ClassPalette palette{};
  for (int index = 0; index < kMaxPixelClasses; ++index) {
    const DrawnColor color = objectColor(index);
    palette[static_cast<std::size_t>(index)] = {color.red, color.green, color.blue};
  }
  return palette;
}

std::uint8_t blended(std::uint8_t below, std::uint8_t above, double opacity) {
  return static_cast<std::uint8_t>(std::lround(below + (above - below) * opacity));
}

std::uint8_t truthAt(const ClassImage& truth, int x, int y) {
  return truth.classes[static_cast<std::size_t>(y) * static_cast<std::size_t>(truth.width) +
                       static_cast<std::size_t>(x)];
}

/// Of what is drawn on each side.
int borderWidth(const Image& image) {
  return std::max(1, std::min(image.width, image.height) / 240);
}

bool isNearBorder(const ClassImage& truth, int x, int y, int width) {
  const std::uint8_t here = truthAt(truth, x, y);
  for (int distance = 1; distance <= width; ++distance)
    for (const auto& [across, down] : {std::pair{distance, 0}, std::pair{-distance, 0},
                                       std::pair{0, distance}, std::pair{0, -distance}}) {
      const int column = x + across, row = y + down;
      const bool inside = column >= 0 && row >= 0 && column < truth.width && row < truth.height;
      if (inside && truthAt(truth, column, row) != here) return true;
    }
  return false;
}

}  // namespace

const ClassPalette& segmentPalette() {
  static const ClassPalette palette = makeSegmentPalette();
  return palette;
}

std::string segmentText(const SegmentClass& segment) {
  char share[24];
  std::snprintf(share, sizeof share, " %.1f %%", 100 * segment.share);
  return segment.name + share;
}

Image withSegmentColors(const Image& part, const ClassImage& classes,
                        const std::array<double, 4>& region, double opacity) {
  const auto& [left, top, width, height] = region;
  std::vector<std::uint8_t> pixels = *part.pixels;
  std::uint8_t* pixel = pixels.data();
  for (int y = 0; y < part.height; ++y)
    for (int x = 0; x < part.width; ++x, pixel += 3) {
      const int index = classAt(classes, left + (x + 0.5) / part.width * width,
                                top + (y + 0.5) / part.height * height);
      if (index == kIgnoredClass) continue;
      const auto& color = segmentPalette()[static_cast<std::size_t>(index)];
      for (std::size_t c = 0; c < 3; ++c)
        pixel[c] = blended(pixel[c], color[c], opacity);
    }
  return {part.width, part.height,
          std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
}

Image withSegmentBorders(const Image& image, const ClassImage& truth) {
  if (truth.width != image.width || truth.height != image.height) return image;
  std::vector<std::uint8_t> pixels = *image.pixels;
  const int width = borderWidth(image);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      if (!isNearBorder(truth, x, y, width)) continue;
      const auto& color = segmentPalette()[truthAt(truth, x, y)];
      std::copy(color.begin(), color.end(),
                pixels.begin() + 3 * (std::ptrdiff_t(y) * image.width + x));
    }
  return {image.width, image.height,
          std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
}

Image segmentFigure(const Image& image, const FoundSegments& found, double opacity,
                    const ClassImage* truth) {
  if (image.empty()) return image;
  std::vector<KeyEntry> entries;
  for (const SegmentClass& segment : found.classes)
    entries.push_back({segmentText(segment), objectColor(segment.index)});
  const Image colored = withSegmentColors(image, found.image, {0, 0, 1, 1}, opacity);
  return drawKey(truth ? withSegmentBorders(colored, *truth) : colored, entries);
}

}  // namespace headlight
