// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Color maps for heatmaps, and the image of a map over an image.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/imaging/codecs/Image.h"

namespace headlight {

enum class ColorMap { Viridis, Cividis, Inferno, Turbo, Jet, Gray, Diverging };

struct ColorMapInfo {
  ColorMap map;
  std::string name;  ///< as shown and stored
  char key;          ///< the letter that chooses it by keyboard
};
/// Every color map, in the order of the enum.
const std::vector<ColorMapInfo>& colorMaps();
const std::string& colorMapName(ColorMap map);
Result<ColorMap> colorMapFromName(const std::string& name);

/// Color of `value` in [0, 1] (clamped); Diverging has its neutral color at 0.5. NaN is mid-gray.
std::array<std::uint8_t, 3> colorOf(ColorMap map, double value);

/// How values become [0, 1]: low → 0, high → 1. Where low = high, a value equal to them is 0.5.
struct ValueRange {
  double low = 0;
  double high = 1;
  bool operator==(const ValueRange&) const = default;
};
/// Minimum and maximum of the finite values; symmetric about 0 if `aboutZero`.
ValueRange valueRange(const std::vector<float>& values, bool aboutZero = false);

/// A map of rows × cols values, row-major, as an image of width × height. `smooth`: bicubic (the
/// mean of areas where it shrinks); else blocks, each pixel the value of the cell under its center.
/// Failure (InvalidArgument): sizes that are not positive, or differ from the number of values.
Image heatmap(const std::vector<float>& values, int rows, int cols, ValueRange range, ColorMap map,
              int width, int height, bool smooth);

/// The same in grays, a byte a pixel.
std::vector<std::uint8_t> grayMap(const std::vector<float>& values, int rows, int cols,
                                  ValueRange range, int width, int height, bool smooth);

/// The heatmap over the image: (1 − opacity)·image + opacity·map, per pixel.
Image overlay(const Image& image, const std::vector<float>& values, int rows, int cols,
              ValueRange range, ColorMap map, double opacity, bool smooth);

}  // namespace headlight
