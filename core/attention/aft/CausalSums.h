// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What causal AFT remembers of tokens whose bias is 0, while a sequence grows.

#include "core/attention/softmax/CausalAttention.h"

namespace headlight {

/// Takes a token into the sums of those that are far back: `key` of the shape of `state.maximum`,
/// `value` of that of `state.weighted`, to which the former broadcasts.
void addFar(CausalState& state, const at::Tensor& key, const at::Tensor& value);

}  // namespace headlight
