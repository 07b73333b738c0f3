// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Pieces of the CPU kernels that are inlined into functions compiled for several processors
// (HEADLIGHT_CLONES). Internal.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/Clones.h"

namespace headlight::rows {

/// Partial sums kept apart so that the compiler may use vectors without reordering a sum itself.
constexpr std::int64_t kLanes = 16;

/// A number as it is computed with, from how it is kept: itself, or bfloat16's 16 bits.
HEADLIGHT_INLINE float widened(float x) {
  return x;
}
HEADLIGHT_INLINE double widened(double x) {
  return x;
}
HEADLIGHT_INLINE float widened(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Kept again: bfloat16 rounds to the nearest, ties to even, as LibTorch does.
HEADLIGHT_INLINE void keep(float x, float& to) {
  to = x;
}
HEADLIGHT_INLINE void keep(double x, double& to) {
  to = x;
}
HEADLIGHT_INLINE void keep(float x, std::uint16_t& to) {
  constexpr std::uint32_t kNoNumber = 0x7fc0, kHalf = 0x7fff;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + kHalf + ((bits >> 16) & 1)) >> 16;
  const std::uint32_t odd = -static_cast<std::uint32_t>(x != x);  // all bits: no branch
  to = static_cast<std::uint16_t>((rounded & ~odd) | (kNoNumber & odd));
}

/// e^x for x ≤ 0: x = n·ln2 + r, |r| ≤ ln2/2, a degree-6 polynomial for e^r, 2ⁿ by exponent bits.
HEADLIGHT_INLINE float fastExp(float x) {
  constexpr float kSmallest = -87.0f;      // e^x is still a normal number
  constexpr float kRounder = 12582912.0f;  // 1.5·2²³: adding it rounds to a whole number
  const float clamped = std::max(x, kSmallest);
  const float n = (clamped * 1.44269504088896341f + kRounder) - kRounder;
  const float r = (clamped - n * 0.693145751953125f) - n * 1.42860682030941723e-6f;
  float p = 1.3888889e-3f;
  p = p * r + 8.3333333e-3f;
  p = p * r + 4.1666667e-2f;
  p = p * r + 1.6666667e-1f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const std::int32_t exponent = (static_cast<std::int32_t>(n) + 127) << 23;
  return x < kSmallest ? 0.0f : p * std::bit_cast<float>(exponent);
}
HEADLIGHT_INLINE double fastExp(double x) {
  return std::exp(x);
}

template <typename T>
HEADLIGHT_INLINE T maximumValue(const T* s, std::int64_t length) {
  T lanes[kLanes];
  std::fill_n(lanes, kLanes, -std::numeric_limits<T>::infinity());
  std::int64_t j = 0;
  for (; j + kLanes <= length; j += kLanes)
    for (std::int64_t k = 0; k < kLanes; ++k)
      lanes[k] = s[j + k] > lanes[k] ? s[j + k] : lanes[k];
  T best = lanes[0];
  for (std::int64_t k = 1; k < kLanes; ++k)
    best = std::max(best, lanes[k]);
  for (; j < length; ++j)
    best = std::max(best, s[j]);
  return best;
}

template <typename T>
HEADLIGHT_INLINE T total(const T (&lanes)[kLanes]) {
  T sum = 0;
  for (std::int64_t k = 0; k < kLanes; ++k)
    sum += lanes[k];
  return sum;
}

template <typename T>
HEADLIGHT_INLINE T sumOf(const T* s, std::int64_t length) {
  T lanes[kLanes] = {};
  std::int64_t j = 0;
  for (; j + kLanes <= length; j += kLanes)
    for (std::int64_t k = 0; k < kLanes; ++k)
      lanes[k] += s[j + k];
  T sum = total(lanes);
  for (; j < length; ++j)
    sum += s[j];
  return sum;
}

template <typename T>
HEADLIGHT_INLINE T dotProduct(const T* a, const T* b, std::int64_t length) {
  T lanes[kLanes] = {};
  std::int64_t j = 0;
  for (; j + kLanes <= length; j += kLanes)
    for (std::int64_t k = 0; k < kLanes; ++k)
      lanes[k] += a[j + k] * b[j + k];
  T sum = total(lanes);
  for (; j < length; ++j)
    sum += a[j] * b[j];
  return sum;
}

}  // namespace headlight::rows
