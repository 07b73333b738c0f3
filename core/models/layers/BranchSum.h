// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A residual stream and what a branch adds to it.

#include <ATen/core/Tensor.h>

namespace headlight {

/// tokens + branch, of the same shape, in the precision of `tokens`. Differentiable in both. A
/// branch in bfloat16 is widened on the way: on the CPU, beside tokens in float, in one pass;
/// elsewhere by LibTorch's operations. Where nobody needs gradients the memory of a branch that is
/// as wide as the tokens is reused.
at::Tensor addBranch(const at::Tensor& tokens, const at::Tensor& branch);

}  // namespace headlight
