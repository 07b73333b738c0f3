// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Separable antialiased resampling of 8-bit RGB in fixed point, as Pillow does it: the filter is
// stretched by the scale when shrinking, weights are rounded to 22 bits, each of the two passes
// (horizontal first) is rounded to 8 bits.

#include <array>
#include <cstdint>

#include "core/imaging/Preprocess.h"
#include "core/imaging/codecs/ImagePart.h"

namespace headlight {

/// The part of a resized image that is computed. Only that part costs time and memory, so that a
/// strip of 20,000 × 1 pixels can be "resized" to 4,960,000 × 248 and cropped to 224 × 224.
struct ResampleWindow {
  std::int64_t left = 0;
  std::int64_t top = 0;
  int width = 0;
  int height = 0;
};

/// `box` (left, top, right, bottom) of the whole that `image` is or is a part of, resized to
/// fullWidth × fullHeight, seen through `window`, which lies within. Where the exact weights or the
/// image between the passes would take over a quarter of a gigabyte (sides in ratios of a
/// million), the nearest pixel is taken instead. Failure: InvalidArgument, also where the part
/// lacks pixels of resampleReach.
Image resample(const ImagePart& image, const std::array<double, 4>& box, std::int64_t fullWidth,
               std::int64_t fullHeight, const ResampleWindow& window, Interpolation interpolation);

/// The pixels (left, top, right, bottom) of an image of width × height that resizing `box` of it
/// to toWidth × toHeight looks at.
std::array<int, 4> resampleReach(int width, int height, const std::array<double, 4>& box,
                                 int toWidth, int toHeight, Interpolation interpolation);

}  // namespace headlight
