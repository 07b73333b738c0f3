// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/RelativeSums.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/attention/kernels/KernelChoice.h"
#include "core/base/ModelPart.h"

namespace headlight {
namespace {

/// Channels stay last, as tokens lie: oneDNN's kernel takes them so, without a copy, and keeps its
/// fast path for wide margins, which it leaves when channels stand first.
at::Tensor convolve(const at::Tensor& x, const at::Tensor& filter) {
  const std::int64_t margin[] = {filter.size(1) / 2, filter.size(2) / 2};
  return at::conv2d(x.permute({0, 3, 1, 2}), filter.unsqueeze(1), {}, 1, margin, 1, filter.size(0))
      .permute({0, 2, 3, 1});
}

/// Σ over images and places of gradient · shifted x: one convolution of the padded grid with the
/// gradient as its kernel. Several times faster than what autograd would do here.
at::Tensor filterGradient(const at::Tensor& x, const at::Tensor& gradient, std::int64_t tall,
                          std::int64_t wide) {
  const std::int64_t images = x.size(0), rows = x.size(1), cols = x.size(2), channels = x.size(3);
  const std::int64_t margin[] = {wide / 2, wide / 2, tall / 2, tall / 2};
  const at::Tensor padded = at::constant_pad_nd(x.permute({0, 3, 1, 2}), margin).contiguous();
  const at::Tensor kernels = gradient.permute({0, 3, 1, 2}).contiguous();
  return at::conv2d(padded.view({1, images * channels, rows + tall - 1, cols + wide - 1}),
                    kernels.view({images * channels, 1, rows, cols}), {}, 1, at::IntArrayRef{0, 0},
                    1, images * channels)
      .view({images, channels, tall, wide})
      .sum(0);
}

class RelativeSums : public torch::autograd::Function<RelativeSums> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& filter) {
    context->save_for_backward({x, filter});
    return convolve(x, filter);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &filter = saved[1];
    const at::Tensor gradient = gradients[0].contiguous();
    return {convolve(gradient, filter.flip({1, 2})),
            filterGradient(x, gradient, filter.size(1), filter.size(2))};
  }
};

}  // namespace

at::Tensor relativeSums(const at::Tensor& x, const at::Tensor& filter) {
  const PartScope scope(ModelPart::Convolution);
  // Elsewhere than on the CPU autograd's own backward is the fast one.
  return x.is_cpu() && !PlainKernels::wanted() ? RelativeSums::apply(x, filter)
                                               : convolve(x, filter);
}

at::Tensor relativeSumsOfHeads(const at::Tensor& heads, const at::Tensor& filter, std::int64_t rows,
                               std::int64_t cols) {
  const std::int64_t batch = heads.size(0), count = heads.size(1), each = heads.size(3);
  const at::Tensor tokens = heads.transpose(1, 2).reshape({batch, rows, cols, count * each});
  return relativeSums(tokens, filter).reshape({batch, rows * cols, count, each}).transpose(1, 2);
}

}  // namespace headlight
