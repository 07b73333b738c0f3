// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The kernels that DepthwiseRows.h is the host side of. No torch type here, so that the CUDA
// compiler needs nothing of LibTorch.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace headlight::cuda {

/// A convolution of k × k with a filter a channel, zeros around: (k - 1) / 2 on each side. Every
/// pointer is to the device.
template <typename T>
struct DepthwiseView {
  const T* maps;     ///< [B, C, H, W]
  const T* filters;  ///< [C, k, k]
  std::uint32_t images, channels, rows, cols, outRows, outCols;
  int side, stride;  ///< side: k
};

inline bool takesSide(std::int64_t side) {
  return side == 3 || side == 5;
}

/// Writes `out` [B, C, outRows, outCols].
template <typename T>
cudaError_t forwardDepthwise(const DepthwiseView<T>& view, T* out, cudaStream_t stream);

/// Writes `dMaps` as `maps`.
template <typename T>
cudaError_t backwardDepthwiseMaps(const DepthwiseView<T>& view, const T* dOut, T* dMaps,
                                  cudaStream_t stream);

/// Writes `parts` [slices, C, k, k]: of every `slices`th image. Their sum is the filters' gradient.
template <typename T>
cudaError_t backwardDepthwiseFilters(const DepthwiseView<T>& view, const T* dOut,
                                     std::uint32_t slices, T* parts, cudaStream_t stream);

}  // namespace headlight::cuda
