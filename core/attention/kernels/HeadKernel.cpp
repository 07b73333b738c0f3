// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/HeadKernel.h"

#include <algorithm>

#include "core/attention/kernels/HeadAttention.h"
#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/cuda/LinearHeadsCuda.h"
#include "core/base/Ranges.h"
#include "core/base/Text.h"

namespace headlight {
namespace {

std::string headKernelName(HeadKernel kernel) {
  switch (kernel) {
    case HeadKernel::Plain:
      break;
    case HeadKernel::Dense:
      return "fused dense (CPU)";
    case HeadKernel::Linear:
      return "fused linear-time (CPU)";
    case HeadKernel::Gathered:
      return "gathered linear-time";
    case HeadKernel::LinearCuda:
      return "fused linear-time (CUDA)";
  }
  return "matrix products";
}

}  // namespace

bool linearKernelsTake(const at::Tensor& qkv) {
  return !PlainKernels::wanted() && qkv.is_floating_point();
}

int costOfSelected(const at::Device& device) {
  // On the CPU what `headlight-cli bench attention` compares. Gathering copies keys and values,
  // each as long as a head is wide (64 as a rule).
  constexpr int kFused = 4, kGathered = 64;
  return device.is_cpu() || cuda::linearHeadsCompiled() ? kFused : kGathered;
}

HeadKernel headKernel(const at::Tensor& qkv, bool linear) {
  if (fusedKernelsTake(qkv)) return linear ? HeadKernel::Linear : HeadKernel::Dense;
  if (!linear) return HeadKernel::Plain;
  return cuda::linearHeadsTake(qkv) ? HeadKernel::LinearCuda : HeadKernel::Gathered;
}

std::vector<HeadKernel> headKernels(const at::Tensor& qkv, const HeadLogits& logits) {
  std::vector<HeadKernel> kernels;
  for (std::size_t h = 0; h < logits.rules.size(); ++h)
    kernels.push_back(headKernel(qkv, logits.isLinear(h)));
  return kernels;
}

std::string headKernelsText(const std::vector<HeadKernel>& heads) {
  std::vector<std::pair<HeadKernel, std::vector<int>>> groups;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& known) { return known.first == heads[h]; });
    if (group == groups.end()) group = groups.insert(groups.end(), {heads[h], {}});
    group->second.push_back(static_cast<int>(h));
  }
  if (groups.size() == 1) return headKernelName(groups[0].first);
  std::string text;
  for (const auto& [kernel, members] : groups)
    addTo(text, std::string(members.size() > 1 ? "heads " : "head ") + rangesText(members) + " " +
                    headKernelName(kernel));
  return text;
}

}  // namespace headlight
