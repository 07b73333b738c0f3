// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The two passes of a resampling: sums of 8-bit pixels in fixed point, rounded and clamped to 8
// bits. Integers: every processor gives the same pixels. Private to imaging.

#include <cstddef>
#include <cstdint>

#include "core/imaging/ResampleAxis.h"

namespace headlight {

/// Rows of pixels of three bytes, one after another, `bytes` from one to the next.
struct PixelRows {
  const std::uint8_t* first;
  std::size_t bytes;
  int count;
};

/// Each row resampled across into `out`, weights.spans.size() pixels a row.
void resampleAcross(const PixelRows& rows, const ResampleWeights& weights, std::uint8_t* out);

/// The rows resampled down into `out`, weights.spans.size() of them. `origin` is the number of the
/// first row in what the spans count.
void resampleDown(const PixelRows& rows, int origin, const ResampleWeights& weights,
                  std::uint8_t* out);

}  // namespace headlight
