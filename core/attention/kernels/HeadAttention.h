#pragma once
// softmax(mask(Q Kᵀ · scale)) V of all heads of a layer, differentiable in qkv and in the masks' α.
// Chooses a kernel for every head: dense by matrix products, or linear in the tokens where the
// head's mask selects few of them.

#include <ATen/core/Tensor.h>

#include "core/attention/kernels/HeadLogits.h"

namespace headlight {

struct AttentionOutput {
  at::Tensor output;  ///< [B, T, D], heads side by side
  at::Tensor map;     ///< [B, H, T, T], detached; undefined unless asked for
};

/// Whether the fused kernels take such a tensor; elsewhere the plain form runs, which takes no
/// sets.
bool fusedKernelsTake(const at::Tensor& qkv);

/// `qkv` is [B, T, 3·D], laid out as timm's: q, k and v one after the other, heads within. Heads
/// with `logits.sets` run in linear time. On the CPU, in float or double and with a BLAS to call,
/// the fused kernels run; elsewhere the plain form.
AttentionOutput headAttention(const at::Tensor& qkv, int heads, const HeadLogits& logits,
                              bool wantMap);

/// The same by plain tensor operations and LibTorch's own gradients, all heads dense: any device,
/// and the fused kernels' check.
AttentionOutput headAttentionPlain(const at::Tensor& qkv, int heads, const HeadLogits& logits,
                                   bool wantMap);

}  // namespace headlight
