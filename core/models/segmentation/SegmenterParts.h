// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How the layers of a segmenter's decoders start, as Mask2Former's (Cheng et al. 2022). Internal to
// core/models.

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

namespace headlight {

/// LayerNorm with ε 1e-5.
torch::nn::LayerNorm makeSegmenterNorm(int width);
/// Weights Xavier uniform (Glorot & Bengio 2010), biases 0.
torch::nn::Linear makeXavierLinear(int in, int out);
/// k × k of stride 1, padded by (k − 1)/2: weights uniform with the variance 1/fan-in, biases 0.
torch::nn::Conv2d makeSegmenterConv(int in, int out, int kernel, bool bias);

}  // namespace headlight
