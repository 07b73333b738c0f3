// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/LinearKernels.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

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

/// The same read to the letter: ½ for every pair, so that ½ of the sum of all values is added.
KernelFeatures halfSumFeatures(const at::Tensor& q, const at::Tensor& k) {
  const at::Tensor query = toUnitRows(q) / std::numbers::pi, key = toUnitRows(k);
  return {at::cat({at::full_like(query.narrow(-1, 0, 1), 0.5), query}, -1),
          at::cat({at::ones_like(key.narrow(-1, 0, 1)), key}, -1)};
}

at::Tensor cosines(const at::Tensor& q, const at::Tensor& k) {
  return at::matmul(toUnitRows(q), toUnitRows(k).transpose(-2, -1));
}

/// Eq. 4 and 5: 1 − θ/π. The slope of θ has no bound where vectors are parallel, so that angles end
/// at 0.03°, and as much before 180°.
KernelFeatures angularFeatures(const at::Tensor& q, const at::Tensor& k) {
  constexpr double kParallel = 1 - 1e-7;
  const at::Tensor angles = cosines(q, k).clamp(-kParallel, kParallel).acos();
  return {1 - angles / std::numbers::pi, {}};
}

/// a_1 to a_K of Eq. 8; (2k)!/(2^(2k) (k!)²) is the product of (2i − 1)/(2i).
std::vector<double> seriesFactors(int terms) {
  std::vector<double> factors;
  double product = 1;
  for (int k = 1; k <= terms; ++k) {
    product *= (2.0 * k - 1) / (2.0 * k);
    factors.push_back(product / (2.0 * k + 1));
  }
  return factors;
}

/// ½ + c/π · (1 + a_1 c² + a_2 c⁴ + …), from the last factor to the first (Horner).
KernelFeatures seriesFeatures(const at::Tensor& q, const at::Tensor& k, int terms) {
  const at::Tensor cosine = cosines(q, k), square = cosine * cosine;
  const std::vector<double> factors = seriesFactors(terms);
  at::Tensor sum = at::zeros_like(cosine);
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor)
    sum = (sum + *factor) * square;
  return {cosine * (sum + 1) / std::numbers::pi + 0.5, {}};
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
      {"half_sum", 0, true, false,
       "Linear-angular similarities to the letter, ½ + qkᵀ/π of unit q and k for every pair, "
       "before "
       "rows of the output are normalized",
       halfSumFeatures},
      {"angular", 0, true, false,
       "Angular similarities, 1 − θ/π of queries and keys, before rows of the output are "
       "normalized",
       angularFeatures, true},
      angularSeries(1),
  };
  return all;
}

const LinearKernel& linearKernel(const std::string& name) {
  const auto found = std::find_if(linearKernels().begin(), linearKernels().end(),
                                  [&](const LinearKernel& k) { return k.name == name; });
  TORCH_CHECK(found != linearKernels().end(), "unknown kernel ", name);
  return *found;
}

LinearKernel angularSeries(int terms) {
  return {"angular_series",
          0,
          true,
          false,
          "The series of the angular kernel with its first terms, before rows of the output are "
          "normalized",
          [terms](const at::Tensor& q, const at::Tensor& k) { return seriesFeatures(q, k, terms); },
          true};
}

at::Tensor LinearKernel::apply(const KernelFeatures& features, const at::Tensor& v,
                               const at::Tensor& extra, at::Tensor* mixed) const {
  at::Tensor y =
      at::matmul(features.query, ofPairs ? v : at::matmul(features.key.transpose(-2, -1), v));
  if (own != 0 && y.size(-2) == v.size(-2)) y = at::add(y, v, own);
  if (extra.defined()) y = y + extra;
  if (mixed) *mixed = y;
  return unitRows ? toUnitRows(y) : y;
}

at::Tensor LinearKernel::map(const KernelFeatures& features) const {
  at::Tensor weights =
      ofPairs ? features.query : at::matmul(features.query, features.key.transpose(-2, -1));
  if (own != 0 && weights.size(-2) == weights.size(-1))
    weights = weights + own * at::eye(weights.size(-1), weights.options());
  return weights;
}

}  // namespace headlight
