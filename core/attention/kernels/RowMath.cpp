#include "core/attention/kernels/RowMath.h"

#include "core/attention/kernels/VectorMath.h"

namespace headlight::rows {
namespace {

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
