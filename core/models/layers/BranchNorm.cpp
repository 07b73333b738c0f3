// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/BranchNorm.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <vector>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/VectorMath.h"
#include "core/base/ModelPart.h"
#include "core/models/layers/RowChunks.h"

namespace headlight {
namespace {

/// x̂ = (x − mean)/√(σ² + ε) of a row, into `normed`; returns what multiplied it.
HEADLIGHT_INLINE float normalize(const float* x, std::int64_t width, float epsilon, float* normed) {
  const float share = 1.0f / static_cast<float>(width), mean = rows::sumOf(x, width) * share;
  for (std::int64_t f = 0; f < width; ++f)
    normed[f] = x[f] - mean;
  const float inverse = 1.0f / std::sqrt(rows::dotProduct(normed, normed, width) * share + epsilon);
  for (std::int64_t f = 0; f < width; ++f)
    normed[f] *= inverse;
  return inverse;
}

/// `normed` [width]: to work in.
HEADLIGHT_CLONES_16 void forwardRows(const float* x, const float* weight, const float* bias,
                                     float epsilon, std::uint16_t* y, std::int64_t count,
                                     std::int64_t width, float* normed) {
  for (std::int64_t n = 0; n < count; ++n, x += width, y += width) {
    normalize(x, width, epsilon, normed);
    for (std::int64_t f = 0; f < width; ++f)
      rows::keep(normed[f] * weight[f] + bias[f], y[f]);
  }
}

/// With g = dy ⊙ weight: dx = inverse · (g − mean(g) − x̂ · mean(g ⊙ x̂)). The moments are found
/// again: cheaper than keeping them. `room` [2 · width]: to work in.
HEADLIGHT_CLONES_16 void backwardRows(const float* x, const float* weight, float epsilon,
                                      const std::uint16_t* dY, float* dX, float* dWeight,
                                      float* dBias, std::int64_t count, std::int64_t width,
                                      float* room) {
  float *normed = room, *g = room + width;
  const float share = 1.0f / static_cast<float>(width);
  for (std::int64_t n = 0; n < count; ++n, x += width, dY += width, dX += width) {
    const float inverse = normalize(x, width, epsilon, normed);
    for (std::int64_t f = 0; f < width; ++f) {
      const float dy = rows::widened(dY[f]);
      g[f] = dy * weight[f];
      dWeight[f] += dy * normed[f];
      dBias[f] += dy;
    }
    const float mean = rows::sumOf(g, width) * share,
                slope = rows::dotProduct(g, normed, width) * share;
    for (std::int64_t f = 0; f < width; ++f)
      dX[f] = inverse * (g[f] - mean - normed[f] * slope);
  }
}

const std::uint16_t* bitsOf(const at::Tensor& narrow) {
  return static_cast<const std::uint16_t*>(narrow.data_ptr());
}

at::Tensor normed(const at::Tensor& tokens, const at::Tensor& weight, const at::Tensor& bias,
                  double epsilon) {
  const std::int64_t width = tokens.size(-1);
  at::Tensor result = at::empty_like(tokens, tokens.options().dtype(at::kBFloat16));
  const float *x = tokens.data_ptr<float>(), *w = weight.data_ptr<float>(),
              *b = bias.data_ptr<float>();
  auto* y = static_cast<std::uint16_t*>(result.data_ptr());
  forEachChunkOfRows(tokens, [&](std::int64_t, std::int64_t row, std::int64_t count) {
    const std::int64_t first = row * width;
    std::vector<float> room(width);
    forwardRows(x + first, w, b, static_cast<float>(epsilon), y + first, count, width, room.data());
  });
  return result;
}

constexpr const char* kEpsilon = "epsilon";

class BranchNorm : public torch::autograd::Function<BranchNorm> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& weight, const at::Tensor& bias, double epsilon) {
    const at::Tensor tokens = given.contiguous();
    context->save_for_backward({tokens, weight});
    context->saved_data[kEpsilon] = epsilon;
    return normed(tokens, weight, bias, epsilon);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &tokens = saved[0], &weight = saved[1];
    const at::Tensor dY = gradients[0].to(at::kBFloat16).contiguous();
    const auto epsilon = static_cast<float>(context->saved_data[kEpsilon].toDouble());
    const std::int64_t width = tokens.size(-1), chunks = chunksOfRows(tokens);
    const at::Tensor dTokens = at::empty_like(tokens);
    const at::Tensor sums = at::zeros({2, chunks, width}, weight.options().requires_grad(false));
    const float *x = tokens.data_ptr<float>(), *w = weight.data_ptr<float>();
    float *dx = dTokens.data_ptr<float>(), *dw = sums.data_ptr<float>(), *db = dw + chunks * width;
    forEachChunkOfRows(tokens, [&](std::int64_t chunk, std::int64_t row, std::int64_t count) {
      const std::int64_t first = row * width;
      std::vector<float> room(2 * width);
      backwardRows(x + first, w, epsilon, bitsOf(dY) + first, dx + first, dw + chunk * width,
                   db + chunk * width, count, width, room.data());
    });
    const auto both = sums.sum(1).unbind();
    return {dTokens, both[0], both[1], at::Tensor()};
  }
};

bool normsTaken(const at::Tensor& tokens, const at::Tensor& weight) {
  return !PlainKernels::wanted() && tokens.device().is_cpu() && tokens.numel() > 0 &&
         tokens.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat &&
         precisionNow(tokens.device()) == Precision::BFloat16;
}

}  // namespace

at::Tensor branchNorm(const at::Tensor& tokens, const at::Tensor& weight, const at::Tensor& bias,
                      double epsilon) {
  const PartScope scope(ModelPart::Norms);
  if (!normsTaken(tokens, weight))
    return at::layer_norm(tokens, {tokens.size(-1)}, weight, bias, epsilon);
  if (at::GradMode::is_enabled() && (tokens.requires_grad() || weight.requires_grad()))
    return BranchNorm::apply(tokens, weight, bias, epsilon);
  return normed(tokens.contiguous(), weight.contiguous(), bias.contiguous(), epsilon);
}

}  // namespace headlight
