// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The host side of the kernels: tensors in and out, and their gradients. Compiled with CUDA and,
// for the CPU, in tests.

#include "core/attention/kernels/heads/HeadGroups.h"

namespace headlight::cuda {

/// The heads of one group, out of `qkv` [B, T, 3·D]; differentiable once.
ListedHeads linearRows(const at::Tensor& qkv, int heads, const HeadGroup& group, bool wantMap);

}  // namespace headlight::cuda
