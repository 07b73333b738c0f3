// SPDX-License-Identifier: GPL-3.0-or-later

// KernelCases.h: depthwise convolutions.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/attention/kernels/cuda/DepthwiseCuda.h"
#include "core/base/Translation.h"
#include "core/workbench/selftest/FloatGaps.h"
#include "core/workbench/selftest/KernelCases.h"

namespace headlight {
namespace {

constexpr std::uint64_t kConvolutionSeed = 3;

at::Tensor convolved(const at::Tensor& maps, const at::Tensor& filters, std::int64_t stride,
                     bool plain) {
  if (!plain && cuda::depthwiseTake(maps, filters))
    return cuda::depthwiseOnCuda(maps, filters, stride);
  return at::conv2d(maps, filters, {}, stride, filters.size(2) / 2, 1, maps.size(1));
}

}  // namespace

/// Odd and even sides, maps smaller than the filter, more values than a block has threads.
std::vector<ConvolutionCase> convolutionCases() {
  return {{2, 3, 9, 7, 3, 1}, {2, 3, 9, 7, 3, 2}, {3, 2, 8, 10, 5, 1},  {3, 2, 8, 10, 5, 2},
          {1, 2, 1, 2, 5, 1}, {1, 1, 1, 1, 3, 2}, {1, 1, 21, 20, 5, 2}, {2, 96, 28, 28, 5, 1}};
}

KernelOutcome convolutionOutcome(const ConvolutionCase& given, const KernelSide& side) {
  const at::Tensor maps =
      seededNoise({given.images, given.channels, given.rows, given.cols}, kConvolutionSeed)
          .to(side.options())
          .requires_grad_();
  const at::Tensor filters =
      seededNoise({given.channels, 1, given.side, given.side}, kConvolutionSeed + 1)
          .to(side.options())
          .requires_grad_();
  const at::Tensor out = convolved(maps, filters, given.stride, side.plain);
  const at::Tensor upstream =
      at::linspace(-1, 1, out.numel(), at::kDouble).view(out.sizes()).to(side.options());
  return {{out.detach()}, torch::autograd::grad({out}, {maps, filters}, {upstream})};
}

std::string convolutionKernel(const at::Device& device) {
  const at::Tensor maps = at::ones({1, 1, 3, 3}, at::TensorOptions(device));
  return cuda::depthwiseTake(maps, maps) ? tr("CUDA kernels") : tr("LibTorch's convolution");
}

}  // namespace headlight
