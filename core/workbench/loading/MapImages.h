// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pictures in a file of maps. Throws Failure. Internal.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/SafetensorsFile.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {

/// `images`, `image` or `input`, and how its numbers become colours.
struct MapImages {
  enum class Values { Bytes, Shares, Normalised, Stretched };  ///< 0 to 255, 0 to 1, …

  SafetensorsEntry entry;
  bool batched = false, channelsLast = true;
  int channels = 3, height = 0, width = 0;
  Values values = Values::Bytes;
  std::array<double, 3> mean{0, 0, 0}, deviation{1, 1, 1};  ///< of Normalised

  /// One of them, from 0.
  Image read(const SafetensorsFile& file, int picture) const;
};

/// Nothing where the file has none. `notes` say where colours are a guess. Errors: InvalidFile,
/// other shapes or dtypes, another number of pictures, values that are no numbers.
std::optional<MapImages> mapImagesOf(const SafetensorsFile& file, int pictures,
                                     std::vector<std::string>& notes);

/// Mid-grey, on which maps lie that are of no picture.
Image greyGround(int width, int height);

}  // namespace headlight
