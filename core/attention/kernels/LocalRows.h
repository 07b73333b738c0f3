// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The rows of one head whose logits are 0 (or −∞) outside a selected set, in time that grows with
// the set: all keys outside it share one weight, so their values enter as Σv alone (MaiT, Eq. 2).
// With m = max(0, max s), r = e^{−m} (strict, or where all are selected: m = max s, r = 0) and
// Z = Σ_{i∈L} (e^{s_i−m} − r) + T·r:
//   a_i = e^{s_i−m}/Z inside, c = r/Z outside, out = Σ_{i∈L} (a_i − c)·v_i + c·Σv.
// Vectorized by the compiler for AVX-512, AVX2 and the baseline.

#include <cstdint>

#include "core/attention/kernels/heads/SelectedSets.h"

namespace headlight::rows {

/// One head of one image. Row n of q, k, v (and of their gradients) is at n · stride.
template <typename T>
struct LocalHead {
  const SelectedSets* sets;
  const T *q, *k, *v;
  std::int64_t stride;  ///< in values
  std::int64_t width;   ///< d
  T scale;              ///< 1/√d
  bool strict;
};

/// Rows [first, last) of `out` (row n at n · outStride). Leaves a in `weights`, which begins at
/// sets->rowStart[first], and c in `rest`, which begins at row `first`.
void localForward(const LocalHead<float>& head, const float* valueSum, std::int64_t first,
                  std::int64_t last, float* out, std::int64_t outStride, float* weights,
                  float* rest);
void localForward(const LocalHead<double>& head, const double* valueSum, std::int64_t first,
                  std::int64_t last, double* out, std::int64_t outStride, double* weights,
                  double* rest);

/// dS = a ⊙ (dO·v − dO·out) of rows [first, last) into `dLogits` (of the whole head, as `weights`
/// here), and dq = scale · Σ dS k.
void localBackwardRows(const LocalHead<float>& head, const float* out, const float* dOut,
                       std::int64_t outStride, std::int64_t first, std::int64_t last,
                       const float* weights, float* dLogits, float* dq);
void localBackwardRows(const LocalHead<double>& head, const double* out, const double* dOut,
                       std::int64_t outStride, std::int64_t first, std::int64_t last,
                       const double* weights, double* dLogits, double* dq);

/// dk = scale · Σ dS q and dv = Σ (a − c) dO + `restSum` (Σ_n c_n dO_n) of keys [first, last),
/// summed over the patch rows that select them.
void localBackwardKeys(const LocalHead<float>& head, const float* dOut, std::int64_t outStride,
                       const float* restSum, std::int64_t first, std::int64_t last,
                       const float* weights, const float* rest, const float* dLogits, float* dk,
                       float* dv);
void localBackwardKeys(const LocalHead<double>& head, const double* dOut, std::int64_t outStride,
                       const double* restSum, std::int64_t first, std::int64_t last,
                       const double* weights, const double* rest, const double* dLogits, double* dk,
                       double* dv);

/// sum[f] = Σ_n scale(n) · values[n · stride + f]; `scale` null: all 1.
void sumRows(const float* values, std::int64_t stride, std::int64_t width, const float* scale,
             std::int64_t first, std::int64_t last, float* sum);
void sumRows(const double* values, std::int64_t stride, std::int64_t width, const double* scale,
             std::int64_t first, std::int64_t last, double* sum);

}  // namespace headlight::rows
