// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/AdamWKernel.h"

#include <ATen/Parallel.h>

#include <cmath>

namespace headlight {
namespace {

/// Below this a second thread costs more than it brings.
constexpr std::int64_t kGrain = 32768;

}  // namespace

void adamWUpdate(float* parameter, float* first, float* second, const float* gradient,
                 std::int64_t count, const AdamWScalars& scalars) {
  const AdamWScalars c = scalars;
  at::parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float g = gradient[i] * c.gradientScale;
      const float m = c.beta1 * first[i] + c.rest1 * g;
      const float v = c.beta2 * second[i] + c.rest2 * g * g;
      first[i] = m;
      second[i] = v;
      const float denominator = std::sqrt(v) * c.rootCorrection + c.epsilon;
      parameter[i] = parameter[i] * c.keep - c.stepSize * m / denominator;
    }
  });
}

}  // namespace headlight
