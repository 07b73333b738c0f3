// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The loops of sampledValues() on the CPU, in float32: each place reads its four cells where they
// lie, and nothing is written but the sums. No torch type. Internal to core/models.

#include <cstdint>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

/// Of B images, N cells, Q queries, H heads, P points a level and d features a head.
struct SampledSizes {
  std::vector<Grid> grids;  ///< of the levels, without a prefix; they have N cells
  std::int64_t images, cells, queries, heads, points, width;

  /// Of a head and a query.
  std::int64_t places() const { return static_cast<std::int64_t>(grids.size()) * points; }
};

/// Contiguous, as sampledValues() takes them. T: const float, or float for their gradients.
template <typename T>
struct SampledMemory {
  T* values;   ///< [B, N, H, d]
  T* places;   ///< [B, Q, H, L, P, 2]
  T* weights;  ///< [B, Q, H, L, P]
};

/// Writes `sums` [B, Q, H, d]. A place that is no finite number makes its head's sums NaN.
void sumSamples(const SampledSizes& sizes, const SampledMemory<const float>& given, float* sums);

/// Gradients from those of the sums; `gradients.values` are added to, the others written. The same
/// bits whatever the threads: each image and head has one.
void sumSamplesBack(const SampledSizes& sizes, const SampledMemory<const float>& given,
                    const float* dSums, const SampledMemory<float>& gradients);

}  // namespace headlight
