// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Weighted sums over the rows of a grid that lie near a token's own: a small matrix product for
// each row of the grid in place of a large one over all pairs of tokens.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headlight {

/// Rows of the grid at most `reach` from a token's: 2·reach + 1 rows of `cols` tokens.
struct GridBand {
  std::int64_t rows = 0, cols = 0, reach = 0;

  std::int64_t tokens() const { return rows * cols; }
  std::int64_t columns() const { return (2 * reach + 1) * cols; }
};

/// out[b, n] = Σ_j weights[n, j] · x[b, (row(n) − reach) · cols + j] + Σ_e factors[n, e] ·
/// terms[b, row(n), e]. Rows outside the grid do not exist, whatever their weights.
/// weights [N, columns], x [B, N, C], factors [N, E], terms [B, rows, E, C] → [B, N, C].
/// O(B · N · (columns + E) · C). Differentiable once. On the CPU, in float or double and with a
/// BLAS to call.
at::Tensor bandSums(const at::Tensor& weights, const at::Tensor& x, const at::Tensor& factors,
                    const at::Tensor& terms, const GridBand& band);

}  // namespace headlight
