#include "core/attention/kernels/RowMath.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HEADLIGHT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HEADLIGHT_CLONES
#endif
#define HEADLIGHT_INLINE inline __attribute__((always_inline))

namespace headlight::rows {
namespace {

/// Partial sums kept apart so that the compiler may use vectors without reordering a sum itself.
constexpr std::int64_t kLanes = 16;

/// e^x for x ≤ 0: x = n·ln2 + r, |r| ≤ ln2/2, a degree-6 polynomial for e^r, 2ⁿ by exponent bits.
HEADLIGHT_INLINE float expOf(float x) {
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
HEADLIGHT_INLINE double expOf(double x) {
  return std::exp(x);
}

template <typename T>
HEADLIGHT_INLINE T maximumOf(const T* s, std::int64_t length) {
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
HEADLIGHT_INLINE void softmaxRows(T* s, std::int64_t count, std::int64_t length) {
  for (std::int64_t i = 0; i < count; ++i, s += length) {
    const T highest = maximumOf(s, length);
    T lanes[kLanes] = {};
    std::int64_t j = 0;
    for (; j + kLanes <= length; j += kLanes)
      for (std::int64_t k = 0; k < kLanes; ++k) {
        const T e = expOf(s[j + k] - highest);
        s[j + k] = e;
        lanes[k] += e;
      }
    T sum = total(lanes);
    for (; j < length; ++j)
      sum += s[j] = expOf(s[j] - highest);
    const T inverse = T(1) / sum;
    for (j = 0; j < length; ++j)
      s[j] *= inverse;
  }
}

template <typename T>
HEADLIGHT_INLINE void softmaxBackwardRows(const T* a, T* dA, std::int64_t count,
                                          std::int64_t length) {
  for (std::int64_t i = 0; i < count; ++i, a += length, dA += length) {
    T lanes[kLanes] = {};
    std::int64_t j = 0;
    for (; j + kLanes <= length; j += kLanes)
      for (std::int64_t k = 0; k < kLanes; ++k)
        lanes[k] += a[j + k] * dA[j + k];
    T dot = total(lanes);
    for (; j < length; ++j)
      dot += a[j] * dA[j];
    for (j = 0; j < length; ++j)
      dA[j] = a[j] * (dA[j] - dot);
  }
}

template <typename T>
HEADLIGHT_INLINE void blendAll(T* s, const T* m, T alpha, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j)
    s[j] *= m[j] + alpha * (T(1) - m[j]);
}

template <typename T>
HEADLIGHT_INLINE void forbidAll(T* s, const T* m, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j)
    s[j] = m[j] == T(0) ? -std::numeric_limits<T>::infinity() : s[j];
}

template <typename T>
HEADLIGHT_INLINE double outsideDotOf(const T* g, const T* s, const T* m, std::int64_t size) {
  double lanes[kLanes] = {};
  std::int64_t j = 0;
  for (; j + kLanes <= size; j += kLanes)
    for (std::int64_t k = 0; k < kLanes; ++k)
      lanes[k] += g[j + k] * s[j + k] * (1 - m[j + k]);
  double sum = total(lanes);
  for (; j < size; ++j)
    sum += g[j] * s[j] * (1 - m[j]);
  return sum;
}

}  // namespace

HEADLIGHT_CLONES void softmax(float* s, std::int64_t count, std::int64_t length) {
  softmaxRows(s, count, length);
}
void softmax(double* s, std::int64_t count, std::int64_t length) {
  softmaxRows(s, count, length);
}

HEADLIGHT_CLONES void softmaxBackward(const float* a, float* dA, std::int64_t count,
                                      std::int64_t length) {
  softmaxBackwardRows(a, dA, count, length);
}
void softmaxBackward(const double* a, double* dA, std::int64_t count, std::int64_t length) {
  softmaxBackwardRows(a, dA, count, length);
}

HEADLIGHT_CLONES void blend(float* s, const float* m, float alpha, std::int64_t size) {
  blendAll(s, m, alpha, size);
}
void blend(double* s, const double* m, double alpha, std::int64_t size) {
  blendAll(s, m, alpha, size);
}

void forbid(float* s, const float* m, std::int64_t size) {
  forbidAll(s, m, size);
}
void forbid(double* s, const double* m, std::int64_t size) {
  forbidAll(s, m, size);
}

HEADLIGHT_CLONES double outsideDot(const float* g, const float* s, const float* m,
                                   std::int64_t size) {
  return outsideDotOf(g, s, m, size);
}
double outsideDot(const double* g, const double* s, const double* m, std::int64_t size) {
  return outsideDotOf(g, s, m, size);
}

}  // namespace headlight::rows
