#include "core/models/BiasGelu.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "core/attention/MixedPrecision.h"
#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/VectorMath.h"

namespace headlight {
namespace {

/// Rows whose bias gradients are summed together: by sizes alone, so that the sum is the same
/// whatever the threads.
constexpr std::int64_t kRowsAtATime = 64;

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
  const float density = 0.3989422804f * rows::expOf(-0.5f * z * z);
  const float tail = density * p * t;
  return {z < 0 ? tail : 1.0f - tail, density};
}
HEADLIGHT_INLINE Normal<double> normalAt(double z) {
  return {0.5 * std::erfc(-z * M_SQRT1_2), std::exp(-0.5 * z * z) * (0.5 * M_SQRT1_2 * M_2_SQRTPI)};
}

/// `from` and `to` may be the same.
template <typename T>
HEADLIGHT_INLINE void forwardRow(const T* from, const T* bias, T* to, std::int64_t width) {
  for (std::int64_t f = 0; f < width; ++f) {
    const T z = from[f] + bias[f];
    to[f] = z * normalAt(z).below;
  }
}

/// dz = dy·(Φ(z) + z·φ(z)), and its sum over rows.
template <typename T>
HEADLIGHT_INLINE void backwardRow(const T* from, const T* bias, const T* dY, T* dZ, T* dBias,
                                  std::int64_t width) {
  for (std::int64_t f = 0; f < width; ++f) {
    const T z = from[f] + bias[f];
    const Normal<T> normal = normalAt(z);
    const T gradient = dY[f] * (normal.below + z * normal.density);
    dZ[f] = gradient;
    dBias[f] += gradient;
  }
}

HEADLIGHT_CLONES void forwardRows(const float* from, const float* bias, float* to,
                                  std::int64_t count, std::int64_t width) {
  for (std::int64_t n = 0; n < count; ++n)
    forwardRow(from + n * width, bias, to + n * width, width);
}
void forwardRows(const double* from, const double* bias, double* to, std::int64_t count,
                 std::int64_t width) {
  for (std::int64_t n = 0; n < count; ++n)
    forwardRow(from + n * width, bias, to + n * width, width);
}

HEADLIGHT_CLONES void backwardRows(const float* from, const float* bias, const float* dY, float* dZ,
                                   float* dBias, std::int64_t count, std::int64_t width) {
  for (std::int64_t n = 0; n < count; ++n)
    backwardRow(from + n * width, bias, dY + n * width, dZ + n * width, dBias, width);
}
void backwardRows(const double* from, const double* bias, const double* dY, double* dZ,
                  double* dBias, std::int64_t count, std::int64_t width) {
  for (std::int64_t n = 0; n < count; ++n)
    backwardRow(from + n * width, bias, dY + n * width, dZ + n * width, dBias, width);
}

std::int64_t chunksOfRows(const at::Tensor& products) {
  const std::int64_t rows = products.numel() / products.size(-1);
  return (rows + kRowsAtATime - 1) / kRowsAtATime;
}

/// Calls body(chunk, first row, rows).
template <typename Body>
void forEachChunk(const at::Tensor& products, Body body) {
  const std::int64_t rows = products.numel() / products.size(-1);
  at::parallel_for(0, chunksOfRows(products), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t chunk = begin; chunk < end; ++chunk)
      body(chunk, chunk * kRowsAtATime, std::min(kRowsAtATime, rows - chunk * kRowsAtATime));
  });
}

void forwardInto(const at::Tensor& products, const at::Tensor& bias, const at::Tensor& result) {
  const std::int64_t width = products.size(-1);
  AT_DISPATCH_FLOATING_TYPES(products.scalar_type(), "biasGelu", [&] {
    const auto *from = products.data_ptr<scalar_t>(), *b = bias.data_ptr<scalar_t>();
    auto* to = result.data_ptr<scalar_t>();
    forEachChunk(products, [&](std::int64_t, std::int64_t first, std::int64_t count) {
      forwardRows(from + first * width, b, to + first * width, count, width);
    });
  });
}

class BiasGelu : public torch::autograd::Function<BiasGelu> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& bias) {
    const at::Tensor products = given.contiguous();
    const at::Tensor result = at::empty_like(products);
    forwardInto(products, bias, result);
    context->save_for_backward({products, bias});
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &products = saved[0], &bias = saved[1], dY = gradients[0].contiguous();
    const std::int64_t width = products.size(-1);
    const at::Tensor dProducts = at::empty_like(products);
    const at::Tensor sums = at::zeros({chunksOfRows(products), width}, products.options());
    AT_DISPATCH_FLOATING_TYPES(products.scalar_type(), "biasGelu", [&] {
      const auto *from = products.data_ptr<scalar_t>(), *b = bias.data_ptr<scalar_t>(),
                 *dy = dY.data_ptr<scalar_t>();
      auto *dz = dProducts.data_ptr<scalar_t>(), *db = sums.data_ptr<scalar_t>();
      forEachChunk(products, [&](std::int64_t chunk, std::int64_t first, std::int64_t count) {
        backwardRows(from + first * width, b, dy + first * width, dz + first * width,
                     db + chunk * width, count, width);
      });
    });
    return {dProducts, sums.sum(0)};
  }
};

bool isTaken(const at::Tensor& products, const at::Tensor& bias) {
  const auto type = products.scalar_type();
  return !PlainKernels::wanted() && products.device().is_cpu() && products.numel() > 0 &&
         (type == at::kFloat || type == at::kDouble) && bias.scalar_type() == type;
}

}  // namespace

at::Tensor biasGelu(const at::Tensor& given, const at::Tensor& bias) {
  // Of 16 bits: here in float32, on other devices as LibTorch has it, which then keeps 16 bits.
  const at::Tensor products = given.device().is_cpu() ? inFloat32(given) : given;
  if (isNarrow(products)) return at::gelu(products + bias.to(products.scalar_type()));
  if (!isTaken(products, bias)) return at::gelu(products + bias);
  if (at::GradMode::is_enabled() && (products.requires_grad() || bias.requires_grad()))
    return BiasGelu::apply(products, bias);
  const at::Tensor result = products.contiguous();
  forwardInto(result, bias.contiguous(), result);
  return result;
}

}  // namespace headlight
