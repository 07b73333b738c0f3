// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/LinearKernels.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headlight {
namespace {

constexpr double kTiny = 1e-12;  // keeps a row of zeros a row of zeros where it is normalized

at::Tensor toUnitRows(const at::Tensor& x) {
  return x / x.norm(2, {-1}, /*keepdim=*/true).clamp_min(kTiny);
}

/// Eq. 8 without its higher orders: ½ + q̂·k̂/π, whose ½ is a token's own (Eq. 9).
KernelFeatures linearAngularFeatures(const at::Tensor& q, const at::Tensor& k) {
  return {toUnitRows(q) / std::numbers::pi, toUnitRows(k)};
}

/// Hydra attention (Bolya et al. 2022): the cosine itself.
KernelFeatures cosineFeatures(const at::Tensor& q, const at::Tensor& k) {
  return {toUnitRows(q), toUnitRows(k)};
}

/// Efficient attention (Shen et al. 2021): softmax over the features of Q and the tokens of K.
KernelFeatures softmaxFeatures(const at::Tensor& q, const at::Tensor& k) {
  return {q.softmax(-1), k.softmax(-2)};
}

/// ViTALiTy (Dass et al. 2023): exp(q·k/√d) to first order around the mean key. The centerd keys
/// sum to 0, so the denominator of every row is T.
KernelFeatures meanCenteringFeatures(const at::Tensor& q, const at::Tensor& k) {
  const at::Tensor centerd = k - k.mean(-2, /*keepdim=*/true);
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
  return {at::cat({at::ones_like(q.narrow(-1, 0, 1)), q * scale}, -1) / k.size(-2),
          at::cat({at::ones_like(k.narrow(-1, 0, 1)), centerd}, -1)};
}

/// ReLU for the softmax as a whole: no denominator.
KernelFeatures reluSoftmaxFeatures(const at::Tensor& q, const at::Tensor& k) {
  return {q.relu(), k.relu()};
}

/// ReLU for the exponential (EfficientViT, Cai et al. 2022): the softmax's denominator stays,
/// Eq. 3.
KernelFeatures reluExponentialFeatures(const at::Tensor& q, const at::Tensor& k) {
  const at::Tensor query = q.relu(), key = k.relu();
  const at::Tensor sums = at::matmul(query, key.sum(-2, /*keepdim=*/true).transpose(-2, -1));
  return {query / sums.clamp_min(kTiny), key};
}

}  // namespace

const std::vector<LinearKernel>& linearKernels() {
  static const std::vector<LinearKernel> all{
      {"linear_angular", 0.5, true, true,
       "Linear-angular similarities, ½I + qkᵀ/π of unit q and k, signed, before rows of the "
       "output are normalized",
       linearAngularFeatures},
      {"cosine", 0, true, true,
       "Cosines of queries and keys, signed, before rows of the output are normalized",
       cosineFeatures},
      {"softmax", 0, false, false,
       "Products of a softmax over the features of Q and one over the tokens of K; rows sum to 1",
       softmaxFeatures},
      {"mean_centering", 0, false, true,
       "Softmax attention to first order around the mean key, signed; rows sum to 1",
       meanCenteringFeatures},
      {"relu_s", 0, true, false,
       "Products of ReLU(q) and ReLU(k), before rows of the output are normalized",
       reluSoftmaxFeatures},
      {"relu_e", 0, false, false,
       "Products of ReLU(q) and ReLU(k) over their sum: rows sum to 1, or are 0",
       reluExponentialFeatures},
  };
  return all;
}

const LinearKernel& linearKernel(const std::string& name) {
  const auto found = std::find_if(linearKernels().begin(), linearKernels().end(),
                                  [&](const LinearKernel& k) { return k.name == name; });
  TORCH_CHECK(found != linearKernels().end(), "unknown kernel ", name);
  return *found;
}

at::Tensor LinearKernel::apply(const KernelFeatures& features, const at::Tensor& v,
                               const at::Tensor& extra, at::Tensor* mixed) const {
  at::Tensor y = at::matmul(features.query, at::matmul(features.key.transpose(-2, -1), v));
  if (own != 0 && y.size(-2) == v.size(-2)) y = at::add(y, v, own);
  if (extra.defined()) y = y + extra;
  if (mixed) *mixed = y;
  return unitRows ? toUnitRows(y) : y;
}

at::Tensor LinearKernel::map(const KernelFeatures& features) const {
  at::Tensor weights = at::matmul(features.query, features.key.transpose(-2, -1));
  if (own != 0 && weights.size(-2) == weights.size(-1))
    weights = weights + own * at::eye(weights.size(-1), weights.options());
  return weights;
}

}  // namespace headlight
