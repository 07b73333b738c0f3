// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How large an image says it is, before it is decoded.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/Result.h"

namespace headlight {

struct ImageSize {
  std::int64_t width = 0, height = 0;  ///< as stored, before EXIF's orientation
  int orientation = 1;                 ///< EXIF's 1 … 8
  std::int64_t pixels() const { return width * height; }
  ImageSize upright() const;
};

/// From the header alone. Errors: those of decodeImage for a header.
Result<ImageSize> readImageSize(std::string_view bytes, const std::string& name);

}  // namespace headlight
