// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Softmax by rows, vectorized by the compiler for AVX-512, AVX2 and the baseline, and chosen when
// the program starts. Float exponentials are within 2 ulp; double is the C library's.

#include <cstdint>

namespace headlight::rows {

/// softmax of each row of s [count, length], in place. −∞ gives exactly 0.
void softmax(float* s, std::int64_t count, std::int64_t length);
void softmax(double* s, std::int64_t count, std::int64_t length);

/// The same but for its last step: s ← e^{s − highest} of each row, with its maximum in `highest`
/// [count] and 1 / Σ e^{s − highest}, by which a row is still to be multiplied, in `inverse`.
void exponentials(float* s, std::int64_t count, std::int64_t length, float* highest,
                  float* inverse);
void exponentials(double* s, std::int64_t count, std::int64_t length, double* highest,
                  double* inverse);

/// softmax from what `exponentials` left of the same logits: s ← e^{s − highest} · inverse.
void softmaxAgain(float* s, std::int64_t count, std::int64_t length, const float* highest,
                  const float* inverse);
void softmaxAgain(double* s, std::int64_t count, std::int64_t length, const double* highest,
                  const double* inverse);

/// Row n of s (at n · stride) times factor[n].
void scaleRows(float* s, std::int64_t count, std::int64_t length, std::int64_t stride,
               const float* factor);
void scaleRows(double* s, std::int64_t count, std::int64_t length, std::int64_t stride,
               const double* factor);

/// Rows of s [count, length] rounded to bfloat16, as its bits, at to + n · stride.
void narrowRows(const float* s, std::int64_t count, std::int64_t length, std::uint16_t* to,
                std::int64_t stride);

/// dS = A ⊙ (dA − Σ_j A⊙dA) for each row, in place over dA [count, length].
void softmaxBackward(const float* a, float* dA, std::int64_t count, std::int64_t length);
void softmaxBackward(const double* a, double* dA, std::int64_t count, std::int64_t length);

}  // namespace headlight::rows
