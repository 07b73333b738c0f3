// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What kernels whose warps work together share.

#include <cuda_runtime.h>

namespace headlight::cuda {

constexpr int kLanes = 32;

/// The sum over `lanes` neighbors, a power of 2; on each of them the same, since partners add the
/// same two numbers.
template <typename T>
__device__ T sumOver(int lanes, T value) {
  for (int apart = lanes / 2; apart > 0; apart /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, apart);
  return value;
}

}  // namespace headlight::cuda
