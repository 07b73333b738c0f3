// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A key of colors beside an image, at the image's own pixels.

#include <string>
#include <vector>

#include "core/imaging/drawing/Drawing.h"

namespace headlight {

struct KeyEntry {
  std::string text;  ///< UTF-8
  DrawnColor color;
};

/// `image` with the entries in a white column to its right, from above: a square of each color and
/// its text. Letters grow with the image's shorter side. Entries that its height does not hold are
/// counted in a last line ("+ 3"). Without entries: the image.
Image drawKey(const Image& image, const std::vector<KeyEntry>& entries);

}  // namespace headlight
