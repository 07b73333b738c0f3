// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/SharedNorm.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "core/processes/Processes.h"

namespace headlight {
namespace {

using torch::autograd::AutogradContext;

constexpr const char* kRows = "rows";
constexpr const char* kCompany = "processes";

/// What one batch has, of all processes.
struct Moments {
  at::Tensor mean, variance;  ///< [C]; biased
  double rows = 0;            ///< values of a channel
};

std::vector<std::int64_t> allButChannels(const at::Tensor& x) {
  std::vector<std::int64_t> dims{0};
  for (std::int64_t d = 2; d < x.dim(); ++d)
    dims.push_back(d);
  return dims;
}

/// [C] beside [N, C, …].
at::Tensor alongChannels(const at::Tensor& values, const at::Tensor& x) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  shape[1] = values.size(0);
  return values.view(shape);
}

/// From each process's means, squares about them and rows, [processes, 2C + 1] (Chan, Golub and
/// LeVeque 1979): squares are about means everywhere, so nothing cancels.
Moments joinedMoments(const at::Tensor& each) {
  const std::int64_t channels = each.size(1) / 2;
  const at::Tensor means = each.narrow(1, 0, channels),
                   squares = each.narrow(1, channels, channels),
                   rows = each.narrow(1, 2 * channels, 1);
  Moments all;
  all.rows = rows.sum().item<double>();
  all.mean = (rows * means).sum(0) / all.rows;
  all.variance = (squares + rows * (means - all.mean).square()).sum(0) / all.rows;
  return all;
}

/// One sum, into which every process lays its own beside the others': a norm waits once.
Moments momentsOf(const at::Tensor& x, Processes& processes) {
  const auto dims = allButChannels(x);
  const std::int64_t entries = x.numel() / x.size(1);
  const auto here = static_cast<double>(entries);
  const at::Tensor mean = x.sum(dims) / std::max(here, 1.0);
  const at::Tensor squares = (x - alongChannels(mean, x)).square().sum(dims);
  at::Tensor each = at::zeros({processes.count(), 2 * x.size(1) + 1}, x.options());
  each.select(0, processes.rank())
      .copy_(at::cat({mean, squares, at::full({1}, here, x.options())}));
  processes.sum(each);
  return joinedMoments(each);
}

struct Company : torch::CustomClassHolder {
  explicit Company(Processes* given) : processes(given) {}
  Processes* processes;
};

/// y = w (x − μ)/√(σ² + ε) + b, μ and σ² of all processes (Ioffe and Szegedy 2015).
class SharedNorm : public torch::autograd::Function<SharedNorm> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const at::Tensor& mean, const at::Tensor& scale,
                            double rows) {
    const at::Tensor normed = (x - alongChannels(mean, x)) * alongChannels(scale, x);
    context->save_for_backward({normed, weight, scale});
    context->saved_data[kRows] = rows;
    context->saved_data[kCompany] =
        c10::IValue::make_capsule(c10::make_intrusive<Company>(currentProcesses()));
    return normed * alongChannels(weight, x) + alongChannels(bias, x);
  }

  /// dx = w/√(σ² + ε) · (dy − mean(dy) − x̂ mean(dy x̂)), the means over all processes.
  static torch::autograd::variable_list backward(AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &normed = saved[0], &dy = gradients[0];
    const auto dims = allButChannels(dy);
    const at::Tensor ofBias = dy.sum(dims), ofWeight = (dy * normed).sum(dims);
    at::Tensor sums = at::cat({ofBias, ofWeight});
    const auto company =
        c10::static_intrusive_pointer_cast<Company>(context->saved_data[kCompany].toCapsule());
    company->processes->sum(sums);
    const auto means = (sums / context->saved_data[kRows].toDouble()).chunk(2);
    const at::Tensor dx =
        (dy - alongChannels(means[0], dy) - normed * alongChannels(means[1], dy)) *
        alongChannels(saved[1] * saved[2], dy);
    return {dx, ofWeight, ofBias, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

/// The running statistics go on as torch's do, with the unbiased variance.
template <typename Norm>
void keepRunning(Norm& norm, const Moments& all) {
  const at::NoGradGuard noGrad;
  const double momentum = norm->options.momentum().value();
  norm->num_batches_tracked += 1;
  norm->running_mean.lerp_(all.mean, momentum);
  norm->running_var.lerp_(all.variance * (all.rows / (all.rows - 1)), momentum);
}

}  // namespace

template <typename Norm>
at::Tensor runningNormed(Norm& norm, const at::Tensor& x) {
  return at::batch_norm(x, norm->weight, norm->bias, norm->running_mean, norm->running_var,
                        /*training=*/false, 0.0, norm->options.eps(), /*cudnn_enabled=*/false);
}

template <typename Norm>
at::Tensor batchNormed(Norm& norm, const at::Tensor& x) {
  if (!norm->is_training() || !currentProcesses()) return norm(x);
  Moments all;
  {
    const at::NoGradGuard noGrad;
    all = momentsOf(x.detach(), *currentProcesses());
  }
  if (all.rows < 2) return runningNormed(norm, x);
  keepRunning(norm, all);
  const at::Tensor scale = (all.variance + norm->options.eps()).rsqrt();
  return SharedNorm::apply(x, norm->weight, norm->bias, all.mean, scale, all.rows);
}

at::Tensor rowsBatchNormed(torch::nn::BatchNorm1d& norm, const at::Tensor& rows) {
  if (rows.size(0) > 1 || !norm->is_training() || currentProcesses())
    return batchNormed(norm, rows);
  return runningNormed(norm, rows);
}

template at::Tensor runningNormed(torch::nn::BatchNorm1d&, const at::Tensor&);
template at::Tensor runningNormed(torch::nn::BatchNorm2d&, const at::Tensor&);
template at::Tensor batchNormed(torch::nn::BatchNorm1d&, const at::Tensor&);
template at::Tensor batchNormed(torch::nn::BatchNorm2d&, const at::Tensor&);

}  // namespace headlight
