// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The headlight: an image lit where attention is high, gray and dark where it is low. Attention
// steers how much of the image is seen, not a color laid over it.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/imaging/ColorMap.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {

/// How a map is shown on its image.
enum class MapStyle {
  Headlight,  ///< lit in the image's own colors
  Warm,       ///< lit in a warm light
  Overlay     ///< a color map laid over it
};

struct MapStyleInfo {
  MapStyle style;
  std::string name;  ///< as shown and stored
  std::string help;  ///< in a few words
};
/// Every style, in the order of the enum.
const std::vector<MapStyleInfo>& mapStyles();
const std::string& mapStyleName(MapStyle style);
/// The one after it; after the last the first.
MapStyle nextMapStyle(MapStyle style);
Result<MapStyle> mapStyleFromName(const std::string& name);

struct HeadlightOptions {
  bool warm = false;
  double dim = 0.85;  ///< how much of its colors and its light the dark keeps back, in [0, 1]
};

/// What light makes of pixels. Made once for many of them.
class Lamp {
 public:
  explicit Lamp(const HeadlightOptions& options);
  /// Lights `count` RGB pixels in place, each by its `light` (0: dark, 255: lit).
  void lightPixels(std::uint8_t* pixels, const std::uint8_t* light, std::size_t count) const;

 private:
  /// A channel becomes own × its value + `luma` × its luma + `glow`, in 1/65536.
  struct Level {
    std::uint32_t own;
    std::array<std::uint32_t, 3> luma, glow;
  };
  std::array<Level, 256> m_levels;
};

/// How much of the light each pixel gets, [height, width]: 0 at range.low or below and for what is
/// no number, 255 at range.high or above. Sizes and `smooth` as heatmap().
std::vector<std::uint8_t> resizeLight(const std::vector<float>& values, int rows, int cols,
                                      ValueRange range, int width, int height, bool smooth);

/// The image under a map of rows × cols values. Throws as heatmap().
Image headlightImage(const Image& image, const std::vector<float>& values, int rows, int cols,
                     ValueRange range, const HeadlightOptions& options, bool smooth);

/// For a map in which a few patches outshine all others: the least value to the one that `share` of
/// the finite values do not exceed. Where that is one value only, the whole range.
ValueRange rangeOfMost(const std::vector<float>& values, double share);

/// How much of a signed map is negative: Σ|v < 0| / Σ|v|, in [0, 1]; 0 where all is 0.
double negativeShare(const std::vector<float>& values);

}  // namespace headlight
