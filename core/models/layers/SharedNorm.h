// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Batch norms over all processes of a run: mean and variance are those of the whole batch, wherever
// its images are. Internal to core/models.

#include <torch/nn/modules/batchnorm.h>

namespace headlight {

/// norm(x), x [N, C, …]; in training and with currentProcesses() over the rows of all of them,
/// which must come here alike.
template <typename Norm>
at::Tensor batchNormed(Norm& norm, const at::Tensor& x);

extern template at::Tensor batchNormed(torch::nn::BatchNorm1d&, const at::Tensor&);
extern template at::Tensor batchNormed(torch::nn::BatchNorm2d&, const at::Tensor&);

}  // namespace headlight
