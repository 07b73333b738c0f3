// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stands in for CUDA's own header: the words of its C++ that the kernels use.

#include <cuda_runtime_api.h>

#include <cstring>

#include "tests/attention/cuda_on_cpu/Emulator.h"

#define __global__
#define __device__
#define __shared__ static  // blocks run one after another
#define __launch_bounds__(threads)

struct CudaIndex {
  unsigned x = 0;
};
inline CudaIndex threadIdx, blockIdx;

inline void __syncwarp() {
  cuda_on_cpu::waitForWarp();
}
inline void __syncthreads() {
  cuda_on_cpu::waitForBlock();
}

/// Threads run one at a time.
inline unsigned long long atomicAdd(unsigned long long* sum, unsigned long long part) {
  const unsigned long long before = *sum;
  *sum += part;
  return before;
}

/// For whole warps alone, as the kernels use it.
template <typename T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  std::uint64_t bits = 0;
  static_assert(sizeof(T) <= sizeof bits);
  std::memcpy(&bits, &value, sizeof value);
  bits = cuda_on_cpu::exchange(bits, mask);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
