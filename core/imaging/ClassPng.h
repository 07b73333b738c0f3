// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A class image as a PNG whose pixel values are the classes (as ADE20K and Pascal VOC have them).

#include <array>
#include <string>

#include "core/base/Result.h"
#include "core/imaging/ClassImage.h"

namespace headlight {

/// Red, green and blue of every class; the last of pixels that are ignored.
using ClassPalette = std::array<std::array<std::uint8_t, 3>, 256>;

/// PNG bytes: 8-bit indices, kIgnoredClass where nothing is known, and the palette. Errors:
/// InvalidArgument for an empty image or another number of pixels than its size says.
Result<std::string> encodeClassPng(const ClassImage& image, const ClassPalette& palette);

}  // namespace headlight
