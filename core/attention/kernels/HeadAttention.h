// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// softmax(logits) V of all heads of a layer, differentiable in q, k, v and in what is applied to
// the logits. Chooses a kernel for every head: dense by matrix products, or linear in the tokens
// where the head's mask selects few of them.

#include <ATen/core/Tensor.h>

#include "core/attention/kernels/heads/HeadInputs.h"
#include "core/attention/kernels/heads/HeadLogits.h"

namespace headlight {

struct AttentionOutput {
  at::Tensor output;  ///< [B, Tq, H·e], heads side by side
  at::Tensor map;     ///< [B, H, Tq, Tk], detached; undefined unless asked for
};

/// Whether the CPU's fused kernels take such a tensor; never while PlainKernels are wanted.
bool fusedKernelsTake(const at::Tensor& tokens);

/// The same in float32, but where all heads are for the fused dense kernel, which reads bfloat16 on
/// processors that multiply it.
HeadInputs asKernelsRead(const HeadInputs& inputs, const HeadLogits& logits);

/// Heads with `logits.sets` run in linear time: of inputs packed as timm's, with no terms. On the
/// CPU, in float or double and with a BLAS to call, the fused kernels run; elsewhere those of
/// DeviceHeads.h. Fused, there is no Tq × Tk tensor but the map that is asked for. Under an
/// AutocastScope of bfloat16 the dense kernel rounds what it multiplies where the processor has
/// instructions for that; sums, logits and softmax stay float32. The output is kept as v is.
AttentionOutput headAttention(const HeadInputs& inputs, const HeadLogits& logits, bool wantMap);

/// The same by plain tensor operations and LibTorch's own gradients, all heads dense: any device,
/// and the fused kernels' check.
AttentionOutput headAttentionPlain(const HeadInputs& inputs, const HeadLogits& logits,
                                   bool wantMap);

struct HeadsAboveLeast {
  AttentionOutput heads;
  at::Tensor stays;  ///< scalar: the fraction of all weights that are above `logits.leastWeight`
};

/// headAttention of logits with a least weight.
HeadsAboveLeast headAttentionAboveLeast(const HeadInputs& inputs, const HeadLogits& logits,
                                        bool wantMap);

}  // namespace headlight
