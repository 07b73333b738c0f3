// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The linear-time form of masked heads (MaiT, Eq. 2; LocalRows.h) by LibTorch's own operations and
// gradients: what every row selects is gathered. Any device and floating-point type; the plain
// form that the kernels of LinearHeads.h and cuda/LinearHeadsCuda.h are checked against.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/attention/kernels/heads/HeadGroups.h"

namespace headlight::gathered {

/// Keys or values gathered at a time, at most (but one row at least): 64 MB of float32.
constexpr std::int64_t kGatheredValues = std::int64_t(1) << 24;

/// The heads of `list`, each of which has sets and the rule Multiply or Forbid, out of `qkv`
/// [B, T, 3·D] (as headAttention() takes it). No T × T tensor unless the map is wanted. Without
/// gradients memory is bounded by `gatheredValues`; for gradients LibTorch keeps all that was
/// gathered, B · list · T · L · d keys and values.
ListedHeads forward(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                    const HeadLogits& logits, bool wantMap,
                    std::int64_t gatheredValues = kGatheredValues);

/// The prefix rows of a group alone, [B, h, P, d] and [B, h, P, T]: they see every token.
ListedHeads prefixRows(const at::Tensor& qkv, int heads, const HeadGroup& group, bool wantMap);

}  // namespace headlight::gathered
