// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Batch norms of convolutional networks. Mean and variance are those of the images that this process
// has, which is the recipe of detectors; where currentProcesses() are given, as for classifiers, those
// of the whole batch (SharedNorm.h). Internal to core/models.

#include <torch/nn/modules/batchnorm.h>

namespace headlight {

/// norm(x), x [N, C] or [N, C, H, W]. A channel of one value has no deviation: where a training
/// batch comes down to that (the coarsest level of one small image), the running statistics stand
/// in and are left as they are.
at::Tensor featuresNormed(torch::nn::BatchNorm1d& norm, const at::Tensor& x);
at::Tensor mapsNormed(torch::nn::BatchNorm2d& norm, const at::Tensor& x);

}  // namespace headlight
