// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One pass over memory for one parameter: on the CPU AdamW is bound by memory, and LibTorch's
// operations would make a dozen passes. Internal.

#include <cstdint>

namespace headlight {

struct AdamWScalars {
  float keep = 1;  ///< 1 − ηλ
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float rest1 = 0.1f;        ///< 1 − β₁, rounded once (1 − 0.999f is off by 5e-5 of itself)
  float rest2 = 0.001f;      ///< 1 − β₂
  float stepSize = 1e-3f;    ///< η / (1 − β₁ᵗ)
  float rootCorrection = 1;  ///< 1 / √(1 − β₂ᵗ)
  float epsilon = 1e-8f;
  float gradientScale = 1;
};

/// All arrays have `count` elements.
void adamWUpdate(float* parameter, float* first, float* second, const float* gradient,
                 std::int64_t count, const AdamWScalars& scalars);

}  // namespace headlight
