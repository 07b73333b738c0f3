// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Composing what a completion shows.

#include <vector>

#include "core/imaging/codecs/Image.h"

namespace headlight {

/// The image with everything below its first `kept` rows gray.
Image grayBelow(const Image& view, int kept);
/// One row of images: `view`, the same with gray below, and each of `completed` (those of its
/// size), every pixel enlarged `scale` times (1 to 64; fewer where the row would be larger than
/// kMaxImagePixels), with a white gap between them.
Image completionRow(const Image& view, int kept, const std::vector<Image>& completed,
                    int scale = 4);

}  // namespace headlight
