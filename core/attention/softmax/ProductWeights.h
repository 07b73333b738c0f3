// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention without a softmax: products of queries and keys, masked and divided by their norm, are
// the weights themselves (IBiT, Algorithm 2, lines 10 to 13, as printed).
//
// The paper writes NORM(W) and no more. Here it is the Euclidean norm of each row: a norm without
// further words is the Euclidean one, and what a query makes of the values is one row (§3.1). A
// norm of the whole tensor [B, H, T, T] would make an image's weights depend on the other images
// of its batch, one of a whole head on the number of its queries.

#include "core/attention/kernels/HeadAttention.h"

namespace headlight {

/// A = P / ‖P‖ by rows, P = S ⊙ factor with each head's mask, from `logits` S [B, H, Tq, Tk]. A
/// weight of 0 is no weight: `Forbid` is `Multiply` here, and `Add` (decay) multiplies by e^M. The
/// scale of S has no part in A. A row of zeros stays one. Of `rules` bias, terms, weightFactor and
/// `apart` are not for this.
at::Tensor productWeights(const at::Tensor& logits, const HeadLogits& rules);

/// As headAttention(), of productWeights(), in float32 at least.
AttentionOutput productAttention(const HeadInputs& inputs, const HeadLogits& rules, bool wantMap);

}  // namespace headlight
