// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images of classes at another size: each pixel has the class at its center, as Pillow's nearest
// neighbor.

#include <array>

#include "core/imaging/ClassImage.h"
#include "core/imaging/Resample.h"

namespace headlight {

/// The image resized to fullWidth × fullHeight, seen through `window`, which lies within: what
/// resample() shows of the pixels.
ClassImage nearestClasses(const ClassImage& image, int fullWidth, int fullHeight,
                          const ResampleWindow& window);

/// The region (left, top, width, height, in pixels) of an image, at width × height pixels.
ClassImage nearestClassesOf(const ClassImage& image, const std::array<double, 4>& region, int width,
                            int height);

}  // namespace headlight
