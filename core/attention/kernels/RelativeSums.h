// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A depthwise convolution over tokens on a grid, in time and memory linear in the tokens.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headlight {

/// out[b, r, c, f] = Σ_{i,j} filter[f, i, j] · x[b, r + i − ⌊kr/2⌋, c + j − ⌊kc/2⌋, f]; what lies
/// outside the grid does not exist. `x` [B, rows, cols, F] as tokens lie, `filter` [F, kr, kc],
/// both sides odd. Differentiable once.
at::Tensor relativeSums(const at::Tensor& x, const at::Tensor& filter);

/// The same of heads [B, H, rows · cols, e], whose features lie side by side in `filter`
/// [H · e, kr, kc].
at::Tensor relativeSumsOfHeads(const at::Tensor& heads, const at::Tensor& filter, std::int64_t rows,
                               std::int64_t cols);

}  // namespace headlight
