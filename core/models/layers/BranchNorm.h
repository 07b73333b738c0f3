// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The norm at the beginning of a residual branch.

#include <ATen/core/Tensor.h>

namespace headlight {

/// Layer norm over the last dimension (Ba et al. 2016), weight and bias [C]; tokens [.., C]. Under
/// an AutocastScope of bfloat16 on the CPU it comes as the matrix products behind it read it, in
/// bfloat16, in one pass: computed in float32 and rounded once. Otherwise LibTorch's own, in the
/// precision of `tokens`. Differentiable in all three.
at::Tensor branchNorm(const at::Tensor& tokens, const at::Tensor& weight, const at::Tensor& bias,
                      double epsilon);

}  // namespace headlight
