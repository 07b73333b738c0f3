// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/RelativeSums.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/RelativeLoops.h"
#include "core/base/ModelPart.h"

namespace headlight {
namespace {

/// As LibTorch does it. Channels stay last, as tokens lie: without a copy.
at::Tensor convolve(const at::Tensor& x, const at::Tensor& filter) {
  const std::int64_t margin[] = {filter.size(1) / 2, filter.size(2) / 2};
  return at::conv2d(x.permute({0, 3, 1, 2}), filter.unsqueeze(1), {}, 1, margin, 1, filter.size(0))
      .permute({0, 2, 3, 1});
}

/// A column of tokens is a row of them, which the loops take several at a time.
RelativeSizes sizesOf(const at::Tensor& x, const at::Tensor& filter) {
  RelativeSizes sizes{x.size(0), x.size(1), x.size(2), x.size(3), filter.size(1), filter.size(2)};
  if (sizes.cols == 1 && sizes.wide == 1) {
    std::swap(sizes.rows, sizes.cols);
    std::swap(sizes.tall, sizes.wide);
  }
  return sizes;
}

/// [F, kr, kc] → [chunks, kr · kc, lanes].
at::Tensor inLanes(const at::Tensor& filter, const RelativeSizes& sizes) {
  const std::int64_t missing = sizes.chunks() * kRelativeLanes - sizes.features;
  return at::constant_pad_nd(filter.flatten(1), {0, 0, 0, missing})
      .view({sizes.chunks(), kRelativeLanes, sizes.taps()})
      .transpose(1, 2)
      .contiguous();
}

at::Tensor sums(const at::Tensor& x, const at::Tensor& filter) {
  const RelativeSizes sizes = sizesOf(x, filter);
  const at::Tensor taps = inLanes(filter, sizes);
  at::Tensor out = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "relativeSums", [&] {
    relativeLoops(sizes, x.data_ptr<scalar_t>(), taps.data_ptr<scalar_t>(),
                  out.data_ptr<scalar_t>());
  });
  return out;
}

at::Tensor filterGradient(const at::Tensor& x, const at::Tensor& gradient,
                          const at::Tensor& filter) {
  const RelativeSizes sizes = sizesOf(x, filter);
  const at::Tensor taps = at::empty(
      {sizes.images, sizes.bands(), sizes.chunks(), sizes.taps(), kRelativeLanes}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "relativeTaps", [&] {
    relativeTaps(sizes, x.data_ptr<scalar_t>(), gradient.data_ptr<scalar_t>(),
                 taps.data_ptr<scalar_t>());
  });
  const at::Tensor all = taps.sum(at::IntArrayRef{0, 1}).transpose(1, 2).flatten(0, 1);
  return all.narrow(0, 0, sizes.features).reshape(filter.sizes());
}

class RelativeSums : public torch::autograd::Function<RelativeSums> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& filter) {
    const at::Tensor x = given.contiguous();
    context->save_for_backward({x, filter});
    return sums(x, filter);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &filter = saved[1];
    const at::Tensor gradient = gradients[0].contiguous();
    return {sums(gradient, filter.flip({1, 2})), filterGradient(x, gradient, filter)};
  }
};

/// Elsewhere than on the CPU autograd's own backward is the fast one.
bool loopsTake(const at::Tensor& x, const at::Tensor& filter) {
  return x.is_cpu() && !PlainKernels::wanted() && x.scalar_type() == filter.scalar_type() &&
         (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
}

}  // namespace

at::Tensor relativeSums(const at::Tensor& x, const at::Tensor& filter) {
  const PartScope scope(ModelPart::Convolution);
  return loopsTake(x, filter) ? RelativeSums::apply(x, filter) : convolve(x, filter);
}

at::Tensor relativeSumsOfHeads(const at::Tensor& heads, const at::Tensor& filter, std::int64_t rows,
                               std::int64_t cols) {
  const std::int64_t batch = heads.size(0), count = heads.size(1), each = heads.size(3);
  const at::Tensor tokens = heads.transpose(1, 2).reshape({batch, rows, cols, count * each});
  return relativeSums(tokens, filter).reshape({batch, rows * cols, count, each}).transpose(1, 2);
}

}  // namespace headlight
