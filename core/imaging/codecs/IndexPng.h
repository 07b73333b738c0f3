// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// PNG files whose pixels are numbers, not colors: gray or with a palette.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

struct IndexImage {
  int width = 0, height = 0;          ///< in pixels, as stored: EXIF turns nothing here
  std::vector<std::uint16_t> values;  ///< [height, width], row-major
};

/// Gray of 8 or 16 bits: its values; a palette of any depth: places in it, whatever its colors.
/// Size and kind are read from the header and refused, as decodeImage() does, before anything is
/// decoded. Errors: UnsupportedFile (no PNG; colors or transparency in place of numbers; gray below
/// 8 bits, which many programs stretch; more than kMaxImagePixels), InvalidFile (damaged).
Result<IndexImage> decodeIndexPng(std::string_view bytes, const std::string& name);

/// Whether it is a PNG with three or four channels.
bool isColorPng(std::string_view bytes);

}  // namespace headlight
