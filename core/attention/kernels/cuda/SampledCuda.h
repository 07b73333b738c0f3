// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Multi-scale deformable attention as CUDA kernels, compiled in where LibTorch has CUDA and there is
// a CUDA compiler (cmake/CudaLanguage.cmake). Their check is LibTorch's grid_sampler():
// tests/attention/SampledCudaTest.cpp compares them on a device, and in a build without them on the
// CPU.

#include "core/attention/kernels/cuda/SampledRows.h"

namespace headlight::cuda {

/// Whether the kernels are compiled in and take such tensors: float or double on a CUDA device, all
/// alike, of at most 8 levels, none empty.
bool sampledTake(const SampledTensors& given);

/// As sampledSums() and sampledSumsBack(). Throw c10::Error for tensors that they do not take.
at::Tensor sampledOnCuda(const SampledTensors& given, const std::vector<Grid>& grids);
SampledTensors sampledBackOnCuda(const SampledTensors& given, const std::vector<Grid>& grids,
                                 const at::Tensor& dSums);

}  // namespace headlight::cuda
