// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// 256 colors for an image. giflib's own choice keeps five bits of each channel, so that not even
// images of few colors come back as they were.

#include <array>
#include <cstdint>
#include <vector>

namespace headlight {

using PaletteColor = std::array<std::uint8_t, 3>;
inline constexpr std::size_t kPaletteColors = 256;

struct PalettedPixels {
  std::array<PaletteColor, kPaletteColors> colors = {};  ///< those that are not needed are black
  std::vector<std::uint8_t> indices;                     ///< of the colors, one a pixel
};

/// By median cut (Heckbert 1982). `pixels` is [n, 3], n at least 1. As many colors as there are
/// remain as they are, unless they agree in five bits of every channel.
PalettedPixels withPalette(const std::vector<std::uint8_t>& pixels);

}  // namespace headlight
