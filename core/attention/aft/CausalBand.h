// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Causal AFT-local with factorized biases in blocks along the sequence: O(B T window D) where the
// [T, T] matrix of aftContext() takes O(B T² D).

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headlight {

/// Eq. 4 with t' ≤ t and without the query gate: w_tt' = u_t·v_t' where t − t' < window, else 0.
/// keys, values [B, T, D]; u, v [T, d']; window at least 1. The tokens within the window go through
/// products of blocks of `window` rows, the rest through running sums. Later tokens change no bit
/// of earlier results as long as K spans less than 87 over the tokens, as in aftContext().
at::Tensor causalBandContext(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& u,
                             const at::Tensor& v, std::int64_t window);

}  // namespace headlight
