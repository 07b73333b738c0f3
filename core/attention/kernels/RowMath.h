#pragma once
// Row-wise arithmetic of attention, vectorised by the compiler for AVX-512, AVX2 and the baseline,
// and chosen when the program starts. Float exponentials are within 2 ulp; double is the C
// library's.

#include <cstdint>

namespace headlight::rows {

/// softmax of each row of s [count, length], in place. −∞ gives exactly 0.
void softmax(float* s, std::int64_t count, std::int64_t length);
void softmax(double* s, std::int64_t count, std::int64_t length);

/// dS = A ⊙ (dA − Σ_j A⊙dA) for each row, in place over dA [count, length].
void softmaxBackward(const float* a, float* dA, std::int64_t count, std::int64_t length);
void softmaxBackward(const double* a, double* dA, std::int64_t count, std::int64_t length);

/// s ← (m + alpha·(1 − m)) ⊙ s over `size` values; alpha = 0 is the hard mask.
void blend(float* s, const float* m, float alpha, std::int64_t size);
void blend(double* s, const double* m, double alpha, std::int64_t size);

/// s ← −∞ where m is 0.
void forbid(float* s, const float* m, std::int64_t size);
void forbid(double* s, const double* m, std::int64_t size);

/// Σ g ⊙ s ⊙ (1 − m): the gradient of alpha in `blend`.
double outsideDot(const float* g, const float* s, const float* m, std::int64_t size);
double outsideDot(const double* g, const double* s, const double* m, std::int64_t size);

}  // namespace headlight::rows
