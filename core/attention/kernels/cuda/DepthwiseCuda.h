// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Depthwise convolutions as CUDA kernels, compiled in where LibTorch has CUDA and there is a CUDA
// compiler (cmake/CudaLanguage.cmake). Their check is LibTorch's conv2d():
// tests/attention/DepthwiseCudaTest.cpp compares them on a device, and in a build without them on
// the CPU.

#include <ATen/core/Tensor.h>

namespace headlight::cuda {

/// Whether the kernels are compiled in and take such tensors: maps [B, C, H, W] and filters
/// [C, 1, k, k] with k 3 or 5, float or double on a CUDA device, not empty, fewer than 2³¹ values,
/// and nothing is to be computed in 16 bits (MixedPrecision.h).
bool depthwiseTake(const at::Tensor& maps, const at::Tensor& filters);

/// As depthwiseRows(). Throws c10::Error for tensors that they do not take.
at::Tensor depthwiseOnCuda(const at::Tensor& maps, const at::Tensor& filters, std::int64_t stride);

}  // namespace headlight::cuda
