// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/SegmenterParts.h"

#include <ATen/ATen.h>
#include <torch/nn/init.h>

#include <cmath>

#include "core/models/layers/Parts.h"

namespace headlight {

torch::nn::LayerNorm makeSegmenterNorm(int width) {
  return makeNorm(width, /*epsilon=*/1e-5);
}

torch::nn::Linear makeXavierLinear(int in, int out) {
  const at::NoGradGuard noGrad;
  torch::nn::Linear linear(in, out);
  torch::nn::init::xavier_uniform_(linear->weight);
  linear->bias.zero_();
  return linear;
}

torch::nn::Conv2d makeSegmenterConv(int in, int out, int kernel, bool bias) {
  const at::NoGradGuard noGrad;
  torch::nn::Conv2d conv(
      torch::nn::Conv2dOptions(in, out, kernel).padding((kernel - 1) / 2).bias(bias));
  const double bound = std::sqrt(3.0 / (static_cast<double>(in) * kernel * kernel));
  conv->weight.uniform_(-bound, bound);
  if (bias) conv->bias.zero_();
  return conv;
}

}  // namespace headlight
