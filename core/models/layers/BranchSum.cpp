// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/BranchSum.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/VectorMath.h"

namespace headlight {
namespace {

constexpr std::int64_t kValuesAtATime = 1 << 15;

HEADLIGHT_CLONES_16 void addWidened(const float* tokens, const std::uint16_t* branch, float* sum,
                                    std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    sum[i] = tokens[i] + rows::widened(branch[i]);
}

at::Tensor widenedSum(const at::Tensor& givenTokens, const at::Tensor& givenBranch) {
  const at::Tensor tokens = givenTokens.contiguous(), branch = givenBranch.contiguous();
  at::Tensor sum = at::empty_like(tokens);
  const auto* from = tokens.data_ptr<float>();
  const auto* narrow = static_cast<const std::uint16_t*>(branch.data_ptr());
  auto* to = sum.data_ptr<float>();
  at::parallel_for(0, tokens.numel(), kValuesAtATime, [&](std::int64_t begin, std::int64_t end) {
    addWidened(from + begin, narrow + begin, to + begin, end - begin);
  });
  return sum;
}

class WidenedSum : public torch::autograd::Function<WidenedSum> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& tokens,
                            const at::Tensor& branch) {
    return widenedSum(tokens, branch);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list gradients) {
    return {gradients[0], gradients[0].to(at::kBFloat16)};
  }
};

bool sumTaken(const at::Tensor& tokens, const at::Tensor& branch) {
  return !PlainKernels::wanted() && tokens.device().is_cpu() &&
         tokens.scalar_type() == at::kFloat && branch.scalar_type() == at::kBFloat16 &&
         tokens.sizes() == branch.sizes();
}

}  // namespace

at::Tensor addBranch(const at::Tensor& tokens, const at::Tensor& branch) {
  const bool learns =
      at::GradMode::is_enabled() && (branch.requires_grad() || tokens.requires_grad());
  if (sumTaken(tokens, branch))
    return learns ? WidenedSum::apply(tokens, branch) : widenedSum(tokens, branch);
  const at::Tensor wide = inFloat32(branch);
  return branch.requires_grad() || tokens.requires_grad() ? tokens + wide : wide.add_(tokens);
}

}  // namespace headlight
