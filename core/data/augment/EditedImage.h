// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An image while operations change it: 8-bit RGB that is its own.

#include <array>
#include <cstdint>
#include <vector>

namespace headlight {

using RgbColor = std::array<std::uint8_t, 3>;

struct EditedImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  ///< [height, width, 3], row-major, R first

  std::uint8_t* row(int y) { return pixels.data() + static_cast<std::size_t>(y) * width * 3; }
  const std::uint8_t* row(int y) const {
    return pixels.data() + static_cast<std::size_t>(y) * width * 3;
  }
};

}  // namespace headlight
