// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Drawn grids whose pixels say their class, and folders of them.

#include <array>
#include <string>
#include <vector>

#include "core/data/segments/SegmentAugment.h"
#include "core/imaging/ClassPng.h"
#include "tests/data/Support.h"

namespace headlight::test {

/// The colors of classes 0 to 3: far apart, and none is kPaddedPixel.
inline constexpr std::array<std::array<std::uint8_t, 3>, 4> kGridColors{
    {{250, 0, 0}, {0, 250, 0}, {0, 0, 250}, {250, 250, 250}}};

/// Fields of `side` pixels; none of its flips and shifts by less than a field looks the same.
inline int gridClass(int x, int y, int side) {
  const int column = x / side, row = y / side;
  return (column * column + 3 * row + column * row) % 4;
}

inline SegmentedImage segmentedGrid(int width, int height, int side) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  ClassImage segments{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int label = gridClass(x, y, side);
      segments.classes.push_back(static_cast<std::uint8_t>(label));
      const auto& color = kGridColors[static_cast<std::size_t>(label)];
      pixels->insert(pixels->end(), color.begin(), color.end());
    }
  return {{width, height, std::move(pixels)}, std::move(segments)};
}

/// For a pixel whose color is within `most` of a class's in every channel, that class; 255 for
/// padding; −1 between classes.
inline int shownClass(const Image& image, int x, int y, int most = 20) {
  const std::uint8_t* pixel = image.row(y) + 3 * x;
  if (pixel[0] == kPaddedPixel && pixel[1] == kPaddedPixel && pixel[2] == kPaddedPixel)
    return kIgnoredClass;
  for (std::size_t k = 0; k < kGridColors.size(); ++k) {
    bool near = true;
    for (std::size_t c = 0; c < 3; ++c)
      near = near && std::abs(int(pixel[c]) - int(kGridColors[k][c])) <= most;
    if (near) return static_cast<int>(k);
  }
  return -1;
}

inline void writeClassPng(const std::filesystem::path& path, const ClassImage& image) {
  writeBytes(path, valueOrThrow(encodeClassPng(image, ClassPalette{})));
}

/// A grid and its label image, as NAME.png below both folders.
inline void writeGrid(const std::filesystem::path& images, const std::filesystem::path& labels,
                      const std::string& name, int width = 24, int height = 16) {
  const SegmentedImage grid = segmentedGrid(width, height, 4);
  writePng(images / (name + ".png"), grid.image);
  writeClassPng(labels / (name + ".png"), grid.segments);
}

}  // namespace headlight::test
