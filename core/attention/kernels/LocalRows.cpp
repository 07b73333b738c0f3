// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/LocalRows.h"

#include "core/attention/kernels/VectorMath.h"

namespace headlight::rows {
namespace {

/// Features handled at a time, so that their sums stay in registers.
constexpr std::int64_t kBlock = 2 * kLanes;

/// out[f] = base[f]·baseScale + Σ_i weight(i) · row(i)[f].
template <typename T, typename Weight, typename Row>
HEADLIGHT_INLINE void weightedSum(std::int64_t count, std::int64_t width, Weight weight, Row row,
                                  const T* base, T baseScale, T* out) {
  std::int64_t f = 0;
  for (; f + kBlock <= width; f += kBlock) {
    T sums[kBlock];
    for (std::int64_t k = 0; k < kBlock; ++k)
      sums[k] = base ? baseScale * base[f + k] : T(0);
    for (std::int64_t i = 0; i < count; ++i) {
      const T w = weight(i);
      const T* values = row(i) + f;
      for (std::int64_t k = 0; k < kBlock; ++k)
        sums[k] += w * values[k];
    }
    for (std::int64_t k = 0; k < kBlock; ++k)
      out[f + k] = sums[k];
  }
  if (f == width) return;
  for (std::int64_t k = f; k < width; ++k)
    out[k] = base ? baseScale * base[k] : T(0);
  for (std::int64_t i = 0; i < count; ++i) {
    const T w = weight(i);
    const T* values = row(i);
    for (std::int64_t k = f; k < width; ++k)
      out[k] += w * values[k];
  }
}

template <typename T>
HEADLIGHT_INLINE void forward(const LocalHead<T>& head, const T* valueSum, std::int64_t first,
                              std::int64_t last, T* out, std::int64_t outStride, T* weights,
                              T* rest) {
  const SelectedSets& sets = *head.sets;
  const std::int32_t *start = sets.rowStart.data(), *columns = sets.columns.data();
  const std::int64_t begin = start[first], size = start[last] - begin;
  for (std::int64_t n = first; n < last; ++n) {
    // Where nothing is outside, 0 is none of the logits.
    const bool alone = head.strict || start[n + 1] - start[n] == sets.tokens;
    T highest = alone ? -std::numeric_limits<T>::infinity() : T(0);
    for (std::int64_t e = start[n]; e < start[n + 1]; ++e) {
      const T s = head.scale * dotProduct(head.q + n * head.stride,
                                          head.k + columns[e] * head.stride, head.width);
      weights[e - begin] = s;
      highest = std::max(highest, s);
    }
    for (std::int64_t e = start[n]; e < start[n + 1]; ++e)
      weights[e - begin] -= highest;
    rest[n - first] = alone ? T(0) : fastExp(-highest);
  }
  for (std::int64_t i = 0; i < size; ++i)
    weights[i] = fastExp(weights[i]);
  for (std::int64_t n = first; n < last; ++n) {
    const std::int64_t count = start[n + 1] - start[n];
    T* row = weights + (start[n] - begin);
    T sum = static_cast<T>(sets.tokens - count) * rest[n - first];
    for (std::int64_t i = 0; i < count; ++i)
      sum += row[i];
    const T inverse = T(1) / sum;
    for (std::int64_t i = 0; i < count; ++i)
      row[i] *= inverse;
    const T outside = rest[n - first] *= inverse;
    weightedSum(
        count, head.width, [&](std::int64_t i) { return row[i] - outside; },
        [&](std::int64_t i) { return head.v + columns[start[n] + i] * head.stride; }, valueSum,
        outside, out + n * outStride);
  }
}

template <typename T>
HEADLIGHT_INLINE void backwardRows(const LocalHead<T>& head, const T* out, const T* dOut,
                                   std::int64_t outStride, std::int64_t first, std::int64_t last,
                                   const T* weights, T* dLogits, T* dq) {
  const SelectedSets& sets = *head.sets;
  const std::int32_t *start = sets.rowStart.data(), *columns = sets.columns.data();
  for (std::int64_t n = first; n < last; ++n) {
    const T* dO = dOut + n * outStride;
    const T mean = dotProduct(dO, out + n * outStride, head.width);
    for (std::int64_t e = start[n]; e < start[n + 1]; ++e)
      dLogits[e] =
          weights[e] * (dotProduct(dO, head.v + columns[e] * head.stride, head.width) - mean);
    weightedSum<T>(
        start[n + 1] - start[n], head.width,
        [&](std::int64_t i) { return head.scale * dLogits[start[n] + i]; },
        [&](std::int64_t i) { return head.k + columns[start[n] + i] * head.stride; }, nullptr, T(0),
        dq + n * head.stride);
  }
}

template <typename T>
HEADLIGHT_INLINE void backwardKeys(const LocalHead<T>& head, const T* dOut, std::int64_t outStride,
                                   const T* restSum, std::int64_t first, std::int64_t last,
                                   const T* weights, const T* rest, const T* dLogits, T* dk,
                                   T* dv) {
  const SelectedSets& sets = *head.sets;
  const std::int32_t *start = sets.columnStart.data(), *rows = sets.rows.data(),
                     *positions = sets.positions.data();
  for (std::int64_t j = first; j < last; ++j) {
    const std::int64_t begin = start[j], count = start[j + 1] - begin;
    weightedSum<T>(
        count, head.width,
        [&](std::int64_t i) { return head.scale * dLogits[positions[begin + i]]; },
        [&](std::int64_t i) { return head.q + rows[begin + i] * head.stride; }, nullptr, T(0),
        dk + j * head.stride);
    weightedSum(
        count, head.width,
        [&](std::int64_t i) { return weights[positions[begin + i]] - rest[rows[begin + i]]; },
        [&](std::int64_t i) { return dOut + rows[begin + i] * outStride; }, restSum, T(1),
        dv + j * head.stride);
  }
}

template <typename T>
HEADLIGHT_INLINE void sumOf(const T* values, std::int64_t stride, std::int64_t width,
                            const T* scale, std::int64_t first, std::int64_t last, T* sum) {
  weightedSum<T>(
      last - first, width, [&](std::int64_t i) { return scale ? scale[first + i] : T(1); },
      [&](std::int64_t i) { return values + (first + i) * stride; }, nullptr, T(0), sum);
}

}  // namespace

HEADLIGHT_CLONES void localForward(const LocalHead<float>& head, const float* valueSum,
                                   std::int64_t first, std::int64_t last, float* out,
                                   std::int64_t outStride, float* weights, float* rest) {
  forward(head, valueSum, first, last, out, outStride, weights, rest);
}
void localForward(const LocalHead<double>& head, const double* valueSum, std::int64_t first,
                  std::int64_t last, double* out, std::int64_t outStride, double* weights,
                  double* rest) {
  forward(head, valueSum, first, last, out, outStride, weights, rest);
}

HEADLIGHT_CLONES void localBackwardRows(const LocalHead<float>& head, const float* out,
                                        const float* dOut, std::int64_t outStride,
                                        std::int64_t first, std::int64_t last, const float* weights,
                                        float* dLogits, float* dq) {
  backwardRows(head, out, dOut, outStride, first, last, weights, dLogits, dq);
}
void localBackwardRows(const LocalHead<double>& head, const double* out, const double* dOut,
                       std::int64_t outStride, std::int64_t first, std::int64_t last,
                       const double* weights, double* dLogits, double* dq) {
  backwardRows(head, out, dOut, outStride, first, last, weights, dLogits, dq);
}

HEADLIGHT_CLONES void localBackwardKeys(const LocalHead<float>& head, const float* dOut,
                                        std::int64_t outStride, const float* restSum,
                                        std::int64_t first, std::int64_t last, const float* weights,
                                        const float* rest, const float* dLogits, float* dk,
                                        float* dv) {
  backwardKeys(head, dOut, outStride, restSum, first, last, weights, rest, dLogits, dk, dv);
}
void localBackwardKeys(const LocalHead<double>& head, const double* dOut, std::int64_t outStride,
                       const double* restSum, std::int64_t first, std::int64_t last,
                       const double* weights, const double* rest, const double* dLogits, double* dk,
                       double* dv) {
  backwardKeys(head, dOut, outStride, restSum, first, last, weights, rest, dLogits, dk, dv);
}

HEADLIGHT_CLONES void sumRows(const float* values, std::int64_t stride, std::int64_t width,
                              const float* scale, std::int64_t first, std::int64_t last,
                              float* sum) {
  sumOf(values, stride, width, scale, first, last, sum);
}
void sumRows(const double* values, std::int64_t stride, std::int64_t width, const double* scale,
             std::int64_t first, std::int64_t last, double* sum) {
  sumOf(values, stride, width, scale, first, last, sum);
}

}  // namespace headlight::rows
