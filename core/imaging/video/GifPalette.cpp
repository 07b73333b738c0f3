// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/video/GifPalette.h"

#include <algorithm>
#include <utility>

namespace headlight {
namespace {

constexpr int kCellBits = 5, kCells = 1 << (3 * kCellBits);  // 32 shades of each channel

int colorCellOf(const std::uint8_t* pixel) {
  constexpr int kShift = 8 - kCellBits;
  return (pixel[0] >> kShift) << (2 * kCellBits) | (pixel[1] >> kShift) << kCellBits |
         pixel[2] >> kShift;
}

/// Colors that are near each other in an image, with how often each comes.
struct ColorCell {
  int cell = 0;
  std::int64_t count = 0;
  std::array<std::int64_t, 3> sums = {};
  int mean(int channel) const {
    return static_cast<int>(sums[static_cast<std::size_t>(channel)] / count);
  }
};

std::vector<ColorCell> cellsOf(const std::vector<std::uint8_t>& pixels) {
  std::vector<ColorCell> all(kCells);
  for (std::size_t i = 0; i + 2 < pixels.size(); i += 3) {
    ColorCell& cell = all[static_cast<std::size_t>(colorCellOf(&pixels[i]))];
    ++cell.count;
    for (std::size_t c = 0; c < 3; ++c)
      cell.sums[c] += pixels[i + c];
  }
  std::vector<ColorCell> used;
  for (int i = 0; i < kCells; ++i)
    if (all[static_cast<std::size_t>(i)].count > 0) {
      used.push_back(all[static_cast<std::size_t>(i)]);
      used.back().cell = i;
    }
  return used;
}

/// A part of the cells, and the channel in which they differ most.
struct ColorBox {
  std::size_t begin = 0, end = 0;
  int channel = 0, spread = 0;
};

ColorBox boxOf(const std::vector<ColorCell>& cells, std::size_t begin, std::size_t end) {
  ColorBox box{begin, end, 0, -1};
  for (int c = 0; c < 3; ++c) {
    int low = 255, high = 0;
    for (std::size_t i = begin; i < end; ++i) {
      low = std::min(low, cells[i].mean(c));
      high = std::max(high, cells[i].mean(c));
    }
    if (high - low > box.spread) {
      box.channel = c;
      box.spread = high - low;
    }
  }
  return box;
}

/// Median cut (Heckbert 1982): the box with the greatest spread is split at the median until there
/// are as many as colors.
std::vector<ColorBox> boxesOf(std::vector<ColorCell>& cells) {
  std::vector<ColorBox> boxes = {boxOf(cells, 0, cells.size())};
  while (boxes.size() < kPaletteColors) {
    const auto widest =
        std::max_element(boxes.begin(), boxes.end(),
                         [](const auto& a, const auto& b) { return a.spread < b.spread; });
    if (widest->spread <= 0) break;
    const ColorBox box = *widest;
    const auto at = [&](std::size_t i) { return cells.begin() + static_cast<std::ptrdiff_t>(i); };
    std::sort(at(box.begin), at(box.end), [&](const ColorCell& a, const ColorCell& b) {
      return std::pair(a.mean(box.channel), a.cell) < std::pair(b.mean(box.channel), b.cell);
    });
    const std::size_t middle = box.begin + (box.end - box.begin) / 2;
    *widest = boxOf(cells, box.begin, middle);
    boxes.push_back(boxOf(cells, middle, box.end));
  }
  return boxes;
}

/// The mean of all that lie in a box.
PaletteColor meanOf(const ColorBox& box, const std::vector<ColorCell>& cells) {
  std::array<std::int64_t, 3> sums = {};
  std::int64_t count = 0;
  for (std::size_t i = box.begin; i < box.end; ++i) {
    count += cells[i].count;
    for (std::size_t c = 0; c < 3; ++c)
      sums[c] += cells[i].sums[c];
  }
  PaletteColor color;
  for (std::size_t c = 0; c < 3; ++c)
    color[c] = static_cast<std::uint8_t>(sums[c] / count);
  return color;
}

}  // namespace

PalettedPixels withPalette(const std::vector<std::uint8_t>& pixels) {
  std::vector<ColorCell> cells = cellsOf(pixels);
  PalettedPixels paletted;
  std::vector<std::uint8_t> ofCell(kCells, 0);
  std::size_t number = 0;
  for (const ColorBox& box : boxesOf(cells)) {
    paletted.colors[number] = meanOf(box, cells);
    for (std::size_t i = box.begin; i < box.end; ++i)
      ofCell[static_cast<std::size_t>(cells[i].cell)] = static_cast<std::uint8_t>(number);
    ++number;
  }
  paletted.indices.resize(pixels.size() / 3);
  for (std::size_t i = 0; i < paletted.indices.size(); ++i)
    paletted.indices[i] = ofCell[static_cast<std::size_t>(colorCellOf(&pixels[3 * i]))];
  return paletted;
}

}  // namespace headlight
