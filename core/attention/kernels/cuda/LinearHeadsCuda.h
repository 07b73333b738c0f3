// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The linear-time form of masked heads (MaiT, Eq. 2; LocalRows.h) as CUDA kernels, compiled in
// where LibTorch has CUDA and there is a CUDA compiler (cmake/CudaLanguage.cmake). Their check is
// the plain form, GatheredHeads.h: tests/attention/LinearCudaTest.cpp compares them on a device,
// and in a build without them on the CPU.

#include "core/attention/kernels/heads/HeadGroups.h"

namespace headlight::cuda {

/// Whether the kernels are compiled in.
bool linearHeadsCompiled();
/// Whether they are, and take such a tensor: float or double on a CUDA device.
bool linearHeadsTake(const at::Tensor& qkv);

/// As gathered::forward(); differentiable once, every sum in the same order each time. Throws
/// c10::Error for a tensor that they do not take.
ListedHeads linearHeads(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                        const HeadLogits& logits, bool wantMap);

}  // namespace headlight::cuda
