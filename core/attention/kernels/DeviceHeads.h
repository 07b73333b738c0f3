// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// headAttention() where the CPU's fused kernels do not run: another device, or no BLAS to call.

#include "core/attention/kernels/HeadAttention.h"

namespace headlight {

/// Heads with sets run in linear time, by the CUDA kernels where they are compiled in and take
/// them, gathered elsewhere; the others as headAttentionPlain(). A layer without sets is
/// headAttentionPlain() alone.
AttentionOutput headAttentionOnDevice(const HeadInputs& inputs, const HeadLogits& logits,
                                      bool wantMap);

}  // namespace headlight
