// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A batch norm by its running statistics and what comes behind it, in one pass over the products
// before it: y = γ (x − μ)/√(σ² + ε) + β is a scale and a shift a channel. CPU, passes without
// gradients. Internal to core/models.

#include <ATen/core/Tensor.h>
#include <torch/nn/modules/batchnorm.h>

namespace headlight {

/// What comes behind a norm.
enum class BehindNorm {
  Tokens,         ///< what is float32 in any precision: sums, pooling
  Product,        ///< matrix products, which read 16 bits where x has them
  ActiveProduct,  ///< hard-swish, then those
};

/// Whether runningNorm can take it: `norm` in evaluation, nobody needs gradients, x [.., C] in
/// float32 or bfloat16 and without gaps, all on the CPU, no plain kernels wanted.
bool runningNormTakes(const at::Tensor& x, const at::Tensor& normWeight, bool training);

/// norm(x) and what is computed on the way to what comes behind it, in float32: kept as x is, in its
/// memory, or for Tokens in float32.
template <typename Norm>
at::Tensor runningNorm(Norm& norm, const at::Tensor& x, BehindNorm behind);

extern template at::Tensor runningNorm(torch::nn::BatchNorm1d&, const at::Tensor&, BehindNorm);
extern template at::Tensor runningNorm(torch::nn::BatchNorm2d&, const at::Tensor&, BehindNorm);

}  // namespace headlight
