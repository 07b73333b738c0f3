// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which kernel computes a head, and its name for people.

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/attention/kernels/heads/HeadLogits.h"

namespace headlight {

enum class HeadKernel {
  Plain,      ///< LibTorch's matrix products over T × T (headAttentionPlain)
  Dense,      ///< kernels/DenseHeads.h
  Linear,     ///< kernels/LinearHeads.h
  Gathered,   ///< kernels/GatheredHeads.h
  LinearCuda  ///< kernels/cuda/LinearHeadsCuda.h
};

/// Whether heads may be given as selected sets, to run in linear time.
bool linearKernelsTake(const at::Tensor& qkv);

/// How many keys of a matrix product a selected key costs as much as, roughly, in linear time
/// there.
int costOfSelected(const at::Device& device);

/// Which kernel headAttention() runs a head by, with sets (`linear`) or without.
HeadKernel headKernel(const at::Tensor& qkv, bool linear);
/// The same of every head.
std::vector<HeadKernel> headKernels(const at::Tensor& qkv, const HeadLogits& logits);

/// "fused dense (CPU)"; where heads differ, "heads 0-1 fused linear-time (CPU), head 2 fused dense
/// (CPU)".
std::string headKernelsText(const std::vector<HeadKernel>& heads);

}  // namespace headlight
