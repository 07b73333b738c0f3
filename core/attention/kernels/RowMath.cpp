// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/RowMath.h"

#include "core/attention/kernels/VectorMath.h"

namespace headlight::rows {
namespace {

template <typename T>
HEADLIGHT_INLINE void exponentialRows(T* s, std::int64_t count, std::int64_t length, T* highest,
                                      T* inverse) {
  for (std::int64_t i = 0; i < count; ++i, s += length) {
    const T most = maximumValue(s, length);
    T lanes[kLanes] = {};
    std::int64_t j = 0;
    for (; j + kLanes <= length; j += kLanes)
      for (std::int64_t k = 0; k < kLanes; ++k) {
        const T e = fastExp(s[j + k] - most);
        s[j + k] = e;
        lanes[k] += e;
      }
    T sum = total(lanes);
    for (; j < length; ++j)
      sum += s[j] = fastExp(s[j] - most);
    highest[i] = most;
    inverse[i] = T(1) / sum;
  }
}

template <typename T>
HEADLIGHT_INLINE void softmaxRows(T* s, std::int64_t count, std::int64_t length) {
  T highest, inverse;
  for (std::int64_t i = 0; i < count; ++i, s += length) {
    exponentialRows(s, 1, length, &highest, &inverse);
    for (std::int64_t j = 0; j < length; ++j)
      s[j] *= inverse;
  }
}

template <typename T>
HEADLIGHT_INLINE void softmaxAgainRows(T* s, std::int64_t count, std::int64_t length,
                                       const T* highest, const T* inverse) {
  for (std::int64_t i = 0; i < count; ++i, s += length)
    for (std::int64_t j = 0; j < length; ++j)
      s[j] = fastExp(s[j] - highest[i]) * inverse[i];
}

template <typename T>
HEADLIGHT_INLINE void scaleAllRows(T* s, std::int64_t count, std::int64_t length,
                                   std::int64_t stride, const T* factor) {
  for (std::int64_t i = 0; i < count; ++i, s += stride)
    for (std::int64_t j = 0; j < length; ++j)
      s[j] *= factor[i];
}

template <typename T>
HEADLIGHT_INLINE void softmaxBackwardRows(const T* a, T* dA, std::int64_t count,
                                          std::int64_t length) {
  for (std::int64_t i = 0; i < count; ++i, a += length, dA += length) {
    const T dot = dotProduct(a, dA, length);
    for (std::int64_t j = 0; j < length; ++j)
      dA[j] = a[j] * (dA[j] - dot);
  }
}

}  // namespace

HEADLIGHT_CLONES void softmax(float* s, std::int64_t count, std::int64_t length) {
  softmaxRows(s, count, length);
}
void softmax(double* s, std::int64_t count, std::int64_t length) {
  softmaxRows(s, count, length);
}

HEADLIGHT_CLONES void exponentials(float* s, std::int64_t count, std::int64_t length,
                                   float* highest, float* inverse) {
  exponentialRows(s, count, length, highest, inverse);
}
void exponentials(double* s, std::int64_t count, std::int64_t length, double* highest,
                  double* inverse) {
  exponentialRows(s, count, length, highest, inverse);
}

HEADLIGHT_CLONES void softmaxAgain(float* s, std::int64_t count, std::int64_t length,
                                   const float* highest, const float* inverse) {
  softmaxAgainRows(s, count, length, highest, inverse);
}
void softmaxAgain(double* s, std::int64_t count, std::int64_t length, const double* highest,
                  const double* inverse) {
  softmaxAgainRows(s, count, length, highest, inverse);
}

HEADLIGHT_CLONES void scaleRows(float* s, std::int64_t count, std::int64_t length,
                                std::int64_t stride, const float* factor) {
  scaleAllRows(s, count, length, stride, factor);
}
void scaleRows(double* s, std::int64_t count, std::int64_t length, std::int64_t stride,
               const double* factor) {
  scaleAllRows(s, count, length, stride, factor);
}

HEADLIGHT_CLONES_16 void narrowRows(const float* s, std::int64_t count, std::int64_t length,
                                    std::uint16_t* to, std::int64_t stride) {
  for (std::int64_t n = 0; n < count; ++n)
    for (std::int64_t j = 0; j < length; ++j)
      keep(s[n * length + j], to[n * stride + j]);
}

HEADLIGHT_CLONES void softmaxBackward(const float* a, float* dA, std::int64_t count,
                                      std::int64_t length) {
  softmaxBackwardRows(a, dA, count, length);
}
void softmaxBackward(const double* a, double* dA, std::int64_t count, std::int64_t length) {
  softmaxBackwardRows(a, dA, count, length);
}

}  // namespace headlight::rows
