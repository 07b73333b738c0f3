// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// GELU of a linear layer's output and its bias, in one pass.

#include <ATen/core/Tensor.h>

namespace headlight {

/// z·Φ(z) for z = products + bias (GELU, Hendrycks and Gimpel 2016, its exact form): products
/// [.., F], bias [F]. Differentiable in both, once. On the CPU, in float or double, one pass
/// forward and one backward, in which products' memory is reused where nobody needs them; Φ in
/// float is within 1e-7. Of products in bfloat16 with a bias in float the result is in bfloat16,
/// computed in float. Elsewhere LibTorch's own operations.
at::Tensor biasGelu(const at::Tensor& products, const at::Tensor& bias);

}  // namespace headlight
