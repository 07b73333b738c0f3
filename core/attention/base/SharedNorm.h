// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Batch norms over all processes of a run: mean and variance are those of the whole batch, wherever
// its images are. Internal to core.

#include <torch/nn/modules/batchnorm.h>

namespace headlight {

/// norm(x), x [N, C, …], by the running statistics, which stay as they are.
template <typename Norm>
at::Tensor runningNormed(Norm& norm, const at::Tensor& x);

/// norm(x), x [N, C, …]; in training and with currentProcesses() over the rows of all of them,
/// which must come here alike. A channel of one value in all of them is normed by the running
/// statistics.
template <typename Norm>
at::Tensor batchNormed(Norm& norm, const at::Tensor& x);

/// The same over rows [N, C]. One row has no deviation: where a training batch comes down to that
/// (the head of a last batch of one image), the running statistics stand in and are left as they
/// are.
at::Tensor rowsBatchNormed(torch::nn::BatchNorm1d& norm, const at::Tensor& rows);

extern template at::Tensor runningNormed(torch::nn::BatchNorm1d&, const at::Tensor&);
extern template at::Tensor runningNormed(torch::nn::BatchNorm2d&, const at::Tensor&);
extern template at::Tensor batchNormed(torch::nn::BatchNorm1d&, const at::Tensor&);
extern template at::Tensor batchNormed(torch::nn::BatchNorm2d&, const at::Tensor&);

}  // namespace headlight
