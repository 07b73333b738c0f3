// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/cuda/DepthwiseRows.h"

// Without CUDA there is nothing here.
#ifdef HEADLIGHT_CUDA

#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>

#include "core/attention/kernels/cuda/DepthwiseKernels.h"

namespace headlight::cuda {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Of the filters' gradient: enough to keep a device busy.
constexpr std::int64_t kFilterBlocks = 4096;

void checkDepthwise(const at::Tensor& maps, const at::Tensor& filters) {
  TORCH_CHECK(takesSide(filters.size(2)), "filters of 3 × 3 or 5 × 5");
  TORCH_CHECK(maps.numel() < std::numeric_limits<std::int32_t>::max(),
              "the maps are too large for one launch; use a smaller batch");
}

/// Of contiguous tensors.
template <typename T>
DepthwiseView<T> depthwiseView(const at::Tensor& maps, const at::Tensor& filters,
                               std::int64_t stride) {
  const auto side = [&](std::int64_t dimension) {
    return static_cast<std::uint32_t>(maps.size(dimension));
  };
  const auto step = static_cast<std::uint32_t>(stride);
  return {maps.data_ptr<T>(),
          filters.data_ptr<T>(),
          side(0),
          side(1),
          side(2),
          side(3),
          (side(2) + step - 1) / step,
          (side(3) + step - 1) / step,
          static_cast<int>(filters.size(2)),
          static_cast<int>(stride)};
}

at::Tensor convolvedByKernel(const at::Tensor& maps, const at::Tensor& filters,
                             std::int64_t stride) {
  const std::int64_t rows = (maps.size(2) + stride - 1) / stride,
                     cols = (maps.size(3) + stride - 1) / stride;
  at::Tensor out = at::empty({maps.size(0), maps.size(1), rows, cols}, maps.options());
  const auto stream = c10::cuda::getCurrentCUDAStream(maps.get_device());
  AT_DISPATCH_FLOATING_TYPES(maps.scalar_type(), "depthwiseRows", [&] {
    C10_CUDA_CHECK(forwardDepthwise<scalar_t>(depthwiseView<scalar_t>(maps, filters, stride),
                                              out.data_ptr<scalar_t>(), stream.stream()));
  });
  return out;
}

/// Of maps and filters.
variable_list gradientsByKernels(const at::Tensor& maps, const at::Tensor& filters,
                                 std::int64_t stride, const at::Tensor& dOut) {
  const std::int64_t channels = maps.size(1),
                     slices = std::clamp<std::int64_t>(kFilterBlocks / channels, 1, maps.size(0));
  const at::Tensor dMaps = at::empty_like(maps),
                   parts = at::empty({slices, channels, 1, filters.size(2), filters.size(3)},
                                     filters.options());
  const auto stream = c10::cuda::getCurrentCUDAStream(maps.get_device());
  AT_DISPATCH_FLOATING_TYPES(maps.scalar_type(), "depthwiseRows", [&] {
    const auto view = depthwiseView<scalar_t>(maps, filters, stride);
    const auto* gradient = dOut.data_ptr<scalar_t>();
    C10_CUDA_CHECK(backwardDepthwiseMaps<scalar_t>(view, gradient, dMaps.data_ptr<scalar_t>(),
                                                   stream.stream()));
    C10_CUDA_CHECK(backwardDepthwiseFilters<scalar_t>(view, gradient,
                                                      static_cast<std::uint32_t>(slices),
                                                      parts.data_ptr<scalar_t>(), stream.stream()));
  });
  return {dMaps, parts.sum(0)};
}

/// With a graph of their own.
variable_list gradientsByConvolution(const at::Tensor& maps, const at::Tensor& filters,
                                     std::int64_t stride, const at::Tensor& dOut) {
  const at::Tensor out =
      at::conv2d(maps, filters, {}, stride, filters.size(2) / 2, 1, maps.size(1));
  variable_list asked;
  for (const at::Tensor& input : {maps, filters})
    if (input.requires_grad()) asked.push_back(input);
  const variable_list found =
      torch::autograd::grad({out}, asked, {dOut}, /*retain_graph=*/true, /*create_graph=*/true);
  auto next = found.begin();
  variable_list gradients;
  for (const at::Tensor& input : {maps, filters})
    gradients.push_back(input.requires_grad() ? *next++ : at::Tensor());
  return gradients;
}

class DepthwiseRows : public torch::autograd::Function<DepthwiseRows> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& maps,
                            const at::Tensor& filters, std::int64_t stride) {
    const c10::cuda::CUDAGuard guard(maps.device());
    context->save_for_backward({maps, filters});
    context->saved_data["stride"] = stride;
    return convolvedByKernel(maps.contiguous(), filters.contiguous(), stride);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &maps = saved[0], &filters = saved[1];
    const std::int64_t stride = context->saved_data["stride"].toInt();
    const c10::cuda::CUDAGuard guard(maps.device());
    variable_list found = at::GradMode::is_enabled()
                              ? gradientsByConvolution(maps, filters, stride, gradients[0])
                              : gradientsByKernels(maps.contiguous(), filters.contiguous(), stride,
                                                   gradients[0].contiguous());
    found.emplace_back();  // of the stride
    return found;
  }
};

}  // namespace

at::Tensor depthwiseRows(const at::Tensor& maps, const at::Tensor& filters, std::int64_t stride) {
  checkDepthwise(maps, filters);
  return DepthwiseRows::apply(maps, filters, stride);
}

}  // namespace headlight::cuda

#endif
