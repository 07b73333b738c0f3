// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/cuda/LinearHeadsCuda.h"

#include <ATen/ATen.h>

#ifdef HEADLIGHT_CUDA
#include "core/attention/kernels/cuda/LinearRows.h"
#endif

namespace headlight::cuda {

#ifndef HEADLIGHT_CUDA

bool linearHeadsCompiled() {
  return false;
}

bool linearHeadsTake(const at::Tensor&) {
  return false;
}

ListedHeads linearHeads(const at::Tensor&, int, const std::vector<std::int64_t>&, const HeadLogits&,
                        bool) {
  TORCH_CHECK(false, "this build has no CUDA kernels");
}

#else

bool linearHeadsCompiled() {
  return true;
}

bool linearHeadsTake(const at::Tensor& qkv) {
  return qkv.is_cuda() && (qkv.scalar_type() == at::kFloat || qkv.scalar_type() == at::kDouble);
}

ListedHeads linearHeads(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                        const HeadLogits& logits, bool wantMap) {
  TORCH_CHECK(linearHeadsTake(qkv), "float or double on a CUDA device");
  return byGroups(qkv, heads, list, logits, wantMap,
                  [&](const HeadGroup& group) { return linearRows(qkv, heads, group, wantMap); });
}

#endif

}  // namespace headlight::cuda
