// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Operations that blend an image with a poorer version of it, as Pillow's ImageEnhance: factor 0
// is the poorer one, 1 the image itself, more goes beyond it.

#include "core/data/augment/EditedImage.h"

namespace headlight {

/// With black.
void enhanceBrightness(EditedImage& image, double factor);
/// With the gray of the image's mean luma.
void enhanceContrast(EditedImage& image, double factor);
/// With the image in gray.
void enhanceColor(EditedImage& image, double factor);
/// With the image smoothed by a 3 × 3 filter.
void enhanceSharpness(EditedImage& image, double factor);

}  // namespace headlight
