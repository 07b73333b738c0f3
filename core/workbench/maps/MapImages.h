// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images in a file of maps. Throws Failure. Internal.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/SafetensorsFile.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {

/// `images`, `image` or `input`, and how its numbers become colors.
struct MapImages {
  enum class Values { Bytes, Shares, Normalized, Stretched };  ///< 0 to 255, 0 to 1, …

  SafetensorsEntry entry;
  bool batched = false, channelsLast = true;
  int channels = 3, height = 0, width = 0;
  Values values = Values::Bytes;
  std::array<double, 3> mean{0, 0, 0}, deviation{1, 1, 1};  ///< of Normalized

  /// One of them, from 0.
  Image read(const SafetensorsFile& file, int image) const;
};

/// Nothing where the file has none. `notes` say where colors are a guess. Errors: InvalidFile,
/// other shapes or dtypes, another number of images, values that are no numbers.
std::optional<MapImages> readMapImages(const SafetensorsFile& file, int images,
                                       std::vector<std::string>& notes);

/// Mid-gray, on which maps lie that are of no image.
Image grayGround(int width, int height);

}  // namespace headlight
