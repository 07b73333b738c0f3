// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How kernels are started. Without a CUDA compiler this is for tests alone, which bring a header
// that runs kernels on the CPU (tests/attention/cuda_on_cpu).

#include <cuda_runtime.h>

namespace headlight::cuda {

/// `kernel` with blocks and threads along x.
template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                   cudaStream_t stream, Arguments... arguments) {
#ifdef __CUDACC__
  kernel<<<blocks, threads, 0, stream>>>(arguments...);
#else
  static_cast<void>(stream);
  cuda_on_cpu::run([=] { kernel(arguments...); }, blocks, threads);
#endif
  return cudaGetLastError();
}

}  // namespace headlight::cuda
