// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The kernels that SampledRows.h is the host side of. No torch type here, so that the CUDA compiler
// needs nothing of LibTorch.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace headlight::cuda {

constexpr int kMostLevels = 8;

/// A map of one stride.
struct SampledLevel {
  int rows, cols;
  std::int64_t firstCell;
};

/// What is read where. Every pointer is to the device.
template <typename T>
struct SampledView {
  const T* values;   ///< [B, N, H, d]
  const T* places;   ///< [B, Q, H, L, P, 2]: x and y in cells
  const T* weights;  ///< [B, Q, H, L, P]
  std::int64_t images, cells, queries, heads, points, width;
  int levels;
  SampledLevel level[kMostLevels];
};

/// Writes `sums` [B, Q, H, d]. A place that is no finite number makes its head's sums NaN.
template <typename T>
cudaError_t forwardSamples(const SampledView<T>& view, T* sums, cudaStream_t stream);

/// Where gradients go. Many queries add to the gradient of one value: each adds a whole number,
/// its part times `*scale`, so that the sum does not depend on the order.
template <typename T>
struct SampledGradients {
  const double* scale;
  std::int64_t* values;  ///< [B, N, H, d], times the scale; added to
  T *places, *weights;   ///< written
};

/// From the gradient of the sums.
template <typename T>
cudaError_t backwardSamples(const SampledView<T>& view, const T* dSums,
                            const SampledGradients<T>& gradients, cudaStream_t stream);

}  // namespace headlight::cuda
