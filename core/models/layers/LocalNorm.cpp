// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/LocalNorm.h"

#include <ATen/ATen.h>

#include "core/attention/base/SharedNorm.h"
#include "core/base/ModelPart.h"
#include "core/processes/Processes.h"

namespace headlight {
namespace {

template <typename Norm>
at::Tensor locallyNormed(Norm& norm, const at::Tensor& x) {
  if (currentProcesses()) return batchNormed(norm, x);
  return x.numel() > x.size(1) || !norm->is_training() ? norm(x) : runningNormed(norm, x);
}

/// As BatchNorm2d, whose variance is that of all values, and which keeps the unbiased one.
void follow(torch::nn::BatchNorm2d& norm, const at::Tensor& mean, const at::Tensor& variance,
            std::int64_t values) {
  const at::NoGradGuard noGrad;
  const double momentum = *norm->options.momentum();
  const double unbiased = static_cast<double>(values) / static_cast<double>(values - 1);
  norm->num_batches_tracked += 1;
  norm->running_mean.mul_(1 - momentum).add_(mean.detach().flatten(), momentum);
  norm->running_var.mul_(1 - momentum).add_(variance.detach().flatten(), momentum * unbiased);
}

/// By the formula, of one image.
at::Tensor plainlyNormed(torch::nn::BatchNorm2d& norm, const at::Tensor& x) {
  const auto wide = [](const at::Tensor& channels) { return channels.view({1, -1, 1, 1}); };
  at::Tensor mean = wide(norm->running_mean), variance = wide(norm->running_var);
  if (norm->is_training()) {
    mean = x.mean({0, 2, 3}, /*keepdim=*/true);
    variance = (x - mean).square().mean({0, 2, 3}, /*keepdim=*/true);
    follow(norm, mean, variance, x.size(2) * x.size(3));
  }
  return (x - mean) * (variance + norm->options.eps()).rsqrt() * wide(norm->weight) +
         wide(norm->bias);
}

}  // namespace

at::Tensor featuresNormed(torch::nn::BatchNorm1d& norm, const at::Tensor& x) {
  return locallyNormed(norm, x);
}

/// LibTorch 1.13 takes the gradient of one image in another order of its values where channels lie
/// beside each other in memory.
at::Tensor mapsNormed(torch::nn::BatchNorm2d& norm, const at::Tensor& x) {
  const PartScope scope(ModelPart::Norms);
  const bool oneImage =
      !currentProcesses() && x.size(0) == 1 && x.numel() > x.size(1) && at::GradMode::is_enabled();
  return oneImage ? plainlyNormed(norm, x) : locallyNormed(norm, x);
}

}  // namespace headlight
