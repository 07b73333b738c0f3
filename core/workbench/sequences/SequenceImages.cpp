// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sequences/SequenceImages.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace headlight {
namespace {

constexpr std::uint8_t kGray = 128;
constexpr std::uint8_t kWhitePixel = 255;

using PixelBytes = std::vector<std::uint8_t>;

/// `tile`, every pixel as a square of `scale`, with its left edge at `left` of an image that is
/// `width` pixels wide.
void paintTile(PixelBytes& pixels, int width, const Image& tile, int left, int scale) {
  for (int y = 0; y < tile.height * scale; ++y)
    for (int x = 0; x < tile.width * scale; ++x)
      std::memcpy(&pixels[(static_cast<std::size_t>(y) * width + left + x) * 3],
                  tile.row(y / scale) + static_cast<std::size_t>(x / scale) * 3, 3);
}

}  // namespace

int keptRows(int rows, double keptFraction) {
  return static_cast<int>(std::lround(std::clamp(keptFraction, 0.0, 1.0) * rows));
}

Image grayBelow(const Image& view, int kept) {
  auto pixels = std::make_shared<PixelBytes>(*view.pixels);
  const auto first = static_cast<std::ptrdiff_t>(std::clamp(kept, 0, view.height)) * view.width * 3;
  std::fill(pixels->begin() + first, pixels->end(), kGray);
  return {view.width, view.height, std::move(pixels)};
}

Image completionRow(const Image& view, int kept, const std::vector<Image>& completed, int scale) {
  std::vector<Image> tiles{view, grayBelow(view, kept)};
  for (const Image& image : completed)
    if (image.width == view.width && image.height == view.height) tiles.push_back(image);
  const auto count = static_cast<std::int64_t>(tiles.size());
  const auto widthAt = [&](std::int64_t by) { return (count * (view.width + 1) - 1) * by; };
  std::int64_t by = std::clamp(scale, 1, 64);
  while (by > 1 && widthAt(by) * view.height * by > kMaxImagePixels)
    --by;
  const int width = static_cast<int>(widthAt(by)), height = static_cast<int>(view.height * by);
  auto pixels =
      std::make_shared<PixelBytes>(static_cast<std::size_t>(width) * height * 3, kWhitePixel);
  for (std::int64_t i = 0; i < count; ++i)
    paintTile(*pixels, width, tiles[static_cast<std::size_t>(i)],
              static_cast<int>(i * (view.width + 1) * by), static_cast<int>(by));
  return {width, height, std::move(pixels)};
}

}  // namespace headlight
