// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads of one product that makes queries, keys and values together (timm's qkv), and back.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headlight {

/// Of all heads, [B, H, T, d] each.
struct FusedHeads {
  at::Tensor query, key, value;
};

/// qkv [B, T, 3·H·d], of 16 bits in float32. Queries and keys are what is compared, so the
/// QueryKeyHook is given them.
FusedHeads fusedHeads(const at::Tensor& qkv, std::int64_t heads);

/// [B, H, T, d] → [B, T, H·d], as a projection reads them.
at::Tensor headsBesideEachOther(const at::Tensor& heads);

}  // namespace headlight
