// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The loops of relativeSums on the CPU: kRelativeLanes features at a time, whose sums over the taps
// stay in registers for a few columns. Rows of taps that lead out of the grid are left out, a fifth of
// an 11 × 11 kernel's on 14 × 14 patches. The attention of a training step of aft_conv_tiny_11_192
// took 141 ms by LibTorch's convolutions and 89 by these. Internal.

#include <cstdint>

namespace headlight {

constexpr std::int64_t kRelativeLanes = 16;

/// Of x, out and gradient [images, rows, cols, features], whole in memory, and of filters with
/// `tall` and `wide` taps, both odd.
struct RelativeSizes {
  std::int64_t images, rows, cols, features, tall, wide;

  std::int64_t chunks() const { return (features + kRelativeLanes - 1) / kRelativeLanes; }
  std::int64_t taps() const { return tall * wide; }
  /// Rows of the grid that are done at a time, so that they and what they see stay in a cache.
  std::int64_t rowsOfBand() const;
  std::int64_t bands() const { return (rows + rowsOfBand() - 1) / rowsOfBand(); }
};

/// filter [chunks, taps, kRelativeLanes]. The same numbers whatever the threads.
void relativeLoops(const RelativeSizes& sizes, const float* x, const float* filter, float* out);
void relativeLoops(const RelativeSizes& sizes, const double* x, const double* filter, double* out);

/// Gradients of the filters, taps [images, bands, chunks, taps, kRelativeLanes], to be summed over
/// the first two. Lanes behind the last feature are not numbers to use.
void relativeTaps(const RelativeSizes& sizes, const float* x, const float* gradient, float* taps);
void relativeTaps(const RelativeSizes& sizes, const double* x, const double* gradient,
                  double* taps);

}  // namespace headlight
