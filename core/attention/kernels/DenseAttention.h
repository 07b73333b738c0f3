#pragma once
// softmax(mask(Q Kᵀ · scale)) V, dense, differentiable in qkv and in the masks' α.

#include <ATen/core/Tensor.h>

#include "core/attention/kernels/HeadLogits.h"

namespace headlight {

struct AttentionOutput {
  at::Tensor output;  ///< [B, T, D], heads side by side
  at::Tensor map;     ///< [B, H, T, T], detached; undefined unless asked for
};

/// `qkv` is [B, T, 3·D], laid out as timm's: q, k and v one after the other, heads within.
/// On the CPU, in float or double and with a BLAS to call, the fused kernel runs; elsewhere the
/// plain one.
AttentionOutput denseAttention(const at::Tensor& qkv, int heads, const HeadLogits& logits,
                               bool wantMap);

/// The same by plain tensor operations and LibTorch's own gradients: any device, and the fused
/// kernel's check.
AttentionOutput denseAttentionPlain(const at::Tensor& qkv, int heads, const HeadLogits& logits,
                                    bool wantMap);

}  // namespace headlight
