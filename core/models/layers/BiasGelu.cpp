// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/BiasGelu.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/VectorMath.h"
#include "core/models/layers/RowChunks.h"

namespace headlight {
namespace {

/// Φ(z), and the density φ(z).
template <typename T>
struct Normal {
  T below, density;
};

/// Abramowitz and Stegun, 26.2.17: |error of Φ| < 7.5e-8.
HEADLIGHT_INLINE Normal<float> normalAt(float z) {
  const float distance = std::abs(z);
  const float t = 1.0f / (1.0f + 0.2316419f * distance);
  float p = 1.330274429f;
  p = p * t - 1.821255978f;
  p = p * t + 1.781477937f;
  p = p * t - 0.356563782f;
  p = p * t + 0.319381530f;
  const float density = 0.3989422804f * rows::fastExp(-0.5f * z * z);
  const float tail = density * p * t;
  return {z < 0 ? tail : 1.0f - tail, density};
}
HEADLIGHT_INLINE Normal<double> normalAt(double z) {
  return {0.5 * std::erfc(-z * M_SQRT1_2), std::exp(-0.5 * z * z) * (0.5 * M_SQRT1_2 * M_2_SQRTPI)};
}

/// `from` and `to` may be the same. T: what is computed in, S: what is kept.
template <typename S, typename T>
HEADLIGHT_INLINE void forwardRow(const S* from, const T* bias, S* to, std::int64_t width) {
  for (std::int64_t f = 0; f < width; ++f) {
    const T z = rows::widened(from[f]) + bias[f];
    rows::keep(z * normalAt(z).below, to[f]);
  }
}

/// dz = dy·(Φ(z) + z·φ(z)), and its sum over rows.
template <typename S, typename T>
HEADLIGHT_INLINE void backwardRow(const S* from, const T* bias, const S* dY, S* dZ, T* dBias,
                                  std::int64_t width) {
  for (std::int64_t f = 0; f < width; ++f) {
    const T z = rows::widened(from[f]) + bias[f];
    const Normal<T> normal = normalAt(z);
    const T gradient = rows::widened(dY[f]) * (normal.below + z * normal.density);
    rows::keep(gradient, dZ[f]);
    dBias[f] += gradient;
  }
}

template <typename S, typename T>
HEADLIGHT_INLINE void everyRow(const S* from, const T* bias, S* to, std::int64_t count,
                               std::int64_t width) {
  for (std::int64_t n = 0; n < count; ++n)
    forwardRow(from + n * width, bias, to + n * width, width);
}
template <typename S, typename T>
HEADLIGHT_INLINE void everyRowBack(const S* from, const T* bias, const S* dY, S* dZ, T* dBias,
                                   std::int64_t count, std::int64_t width) {
  for (std::int64_t n = 0; n < count; ++n)
    backwardRow(from + n * width, bias, dY + n * width, dZ + n * width, dBias, width);
}

HEADLIGHT_CLONES void forwardRows(const float* from, const float* bias, float* to,
                                  std::int64_t count, std::int64_t width) {
  everyRow(from, bias, to, count, width);
}
HEADLIGHT_CLONES_16 void forwardRows(const std::uint16_t* from, const float* bias,
                                     std::uint16_t* to, std::int64_t count, std::int64_t width) {
  everyRow(from, bias, to, count, width);
}
void forwardRows(const double* from, const double* bias, double* to, std::int64_t count,
                 std::int64_t width) {
  everyRow(from, bias, to, count, width);
}

HEADLIGHT_CLONES void backwardRows(const float* from, const float* bias, const float* dY, float* dZ,
                                   float* dBias, std::int64_t count, std::int64_t width) {
  everyRowBack(from, bias, dY, dZ, dBias, count, width);
}
HEADLIGHT_CLONES_16 void backwardRows(const std::uint16_t* from, const float* bias,
                                      const std::uint16_t* dY, std::uint16_t* dZ, float* dBias,
                                      std::int64_t count, std::int64_t width) {
  everyRowBack(from, bias, dY, dZ, dBias, count, width);
}
void backwardRows(const double* from, const double* bias, const double* dY, double* dZ,
                  double* dBias, std::int64_t count, std::int64_t width) {
  everyRowBack(from, bias, dY, dZ, dBias, count, width);
}

/// Calls body(kept, computed) with values of the types in which `tensor` is.
template <typename Body>
void withTypesOf(const at::Tensor& tensor, Body body) {
  if (tensor.scalar_type() == at::kBFloat16) return body(std::uint16_t{}, float{});
  if (tensor.scalar_type() == at::kDouble) return body(double{}, double{});
  body(float{}, float{});
}

template <typename S>
S* valuesOf(const at::Tensor& tensor, S) {
  return static_cast<S*>(tensor.data_ptr());
}

void forwardInto(const at::Tensor& products, const at::Tensor& bias, const at::Tensor& result) {
  const std::int64_t width = products.size(-1);
  withTypesOf(products, [&](auto kept, auto computed) {
    const auto* from = valuesOf(products, kept);
    const auto* b = valuesOf(bias, computed);
    auto* to = valuesOf(result, kept);
    forEachChunkOfRows(products, [&](std::int64_t, std::int64_t first, std::int64_t count) {
      forwardRows(from + first * width, b, to + first * width, count, width);
    });
  });
}

class BiasGelu : public torch::autograd::Function<BiasGelu> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& bias) {
    const at::Tensor products = given.contiguous();
    at::Tensor result = at::empty_like(products);
    forwardInto(products, bias, result);
    context->save_for_backward({products, bias});
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &products = saved[0], &bias = saved[1];
    const at::Tensor dY = gradients[0].to(products.scalar_type()).contiguous();
    const std::int64_t width = products.size(-1);
    const at::Tensor dProducts = at::empty_like(products);
    const at::Tensor sums = at::zeros({chunksOfRows(products), width}, bias.options());
    withTypesOf(products, [&](auto kept, auto computed) {
      const auto *from = valuesOf(products, kept), *dy = valuesOf(dY, kept);
      const auto* b = valuesOf(bias, computed);
      auto* dz = valuesOf(dProducts, kept);
      auto* db = valuesOf(sums, computed);
      forEachChunkOfRows(products, [&](std::int64_t chunk, std::int64_t first, std::int64_t count) {
        backwardRows(from + first * width, b, dy + first * width, dz + first * width,
                     db + chunk * width, count, width);
      });
    });
    return {dProducts, sums.sum(0)};
  }
};

bool isTaken(const at::Tensor& products, const at::Tensor& bias) {
  const auto kept = products.scalar_type(), computed = bias.scalar_type();
  const bool narrow = kept == at::kBFloat16 && computed == at::kFloat;
  return !PlainKernels::wanted() && products.device().is_cpu() && products.numel() > 0 &&
         (narrow || (kept == computed && (kept == at::kFloat || kept == at::kDouble)));
}

}  // namespace

at::Tensor biasGelu(const at::Tensor& given, const at::Tensor& bias) {
  const bool widen = given.device().is_cpu() && !isTaken(given, bias);
  const at::Tensor products = widen ? inFloat32(given) : given;
  if (isNarrow(products) && !products.device().is_cpu())
    return at::gelu(products + bias.to(products.scalar_type()));
  if (!isTaken(products, bias)) return at::gelu(products + bias);
  if (at::GradMode::is_enabled() && (products.requires_grad() || bias.requires_grad()))
    return BiasGelu::apply(products, bias);
  at::Tensor result = products.contiguous();
  forwardInto(result, bias.contiguous(), result);
  return result;
}

}  // namespace headlight
