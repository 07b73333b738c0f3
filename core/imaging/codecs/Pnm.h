// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Netpbm's PBM, PGM and PPM: plain text and raw. Private to imaging.

#include <cstdint>
#include <string_view>

namespace headlight {

struct PnmHeader {
  bool plain = false;  ///< samples are written as text
  bool bits = false;   ///< black and white, 1 is black; raw rows are padded to whole bytes
  int channels = 1;
  std::uint32_t maxValue = 1;  ///< up to 65535; raw samples above 255 have two bytes, high first
  std::int64_t width = 0, height = 0;
  std::size_t begin = 0;  ///< of the samples
};

/// Whether the bytes begin as one: "P1" to "P6" and a blank.
bool beginsLikePnm(std::string_view bytes);

/// Failure: InvalidFile. The sides may be anything up to 999,999,999.
PnmHeader parsePnm(std::string_view bytes);

}  // namespace headlight
