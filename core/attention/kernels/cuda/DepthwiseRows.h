// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The host side of the kernels of depthwise convolutions: tensors in and out, and their gradients.
// Compiled with CUDA and, for the CPU, in tests.

#include <ATen/core/Tensor.h>

namespace headlight::cuda {

/// maps [B, C, H, W] with filters [C, 1, k, k], k 3 or 5, zeros around: as at::conv2d() with padding
/// (k - 1) / 2 and C groups. The same bits every time; gradients of gradients are conv2d()'s.
at::Tensor depthwiseRows(const at::Tensor& maps, const at::Tensor& filters, std::int64_t stride);

}  // namespace headlight::cuda
