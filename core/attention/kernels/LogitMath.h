// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is done to logits between their product and their softmax, and its gradients, over whole
// blocks of rows. Vectorized by the compiler for AVX-512, AVX2 and the baseline, and chosen when
// the program starts.

#include <cstdint>

namespace headlight::rows {

/// s ← s + x, over `size` values; s ← s ⊙ x; sum ← sum + a ⊙ b.
void add(float* s, const float* x, std::int64_t size);
void add(double* s, const double* x, std::int64_t size);
void multiply(float* s, const float* x, std::int64_t size);
void multiply(double* s, const double* x, std::int64_t size);
void addProduct(float* sum, const float* a, const float* b, std::int64_t size);
void addProduct(double* sum, const double* a, const double* b, std::int64_t size);

/// s ← (m + alpha·(1 − m)) ⊙ s over `size` values; alpha = 0 is the hard mask.
void blend(float* s, const float* m, float alpha, std::int64_t size);
void blend(double* s, const double* m, double alpha, std::int64_t size);

/// Σ g ⊙ s ⊙ (1 − m): the gradient of alpha in `blend`.
double outsideDot(const float* g, const float* s, const float* m, std::int64_t size);
double outsideDot(const double* g, const double* s, const double* m, std::int64_t size);

/// s ← −∞ where m is 0; s ← −∞ where `apart`.
void forbid(float* s, const float* m, std::int64_t size);
void forbid(double* s, const double* m, std::int64_t size);
void separate(float* s, const bool* apart, std::int64_t size);
void separate(double* s, const bool* apart, std::int64_t size);

/// s[n, r·cols + c] ← s + row[n, r] + col[n, c], for `count` rows n.
void addTerms(float* s, const float* row, const float* col, std::int64_t count, std::int64_t rows,
              std::int64_t cols);
void addTerms(double* s, const double* row, const double* col, std::int64_t count,
              std::int64_t rows, std::int64_t cols);
/// Its gradients: row[n, r] = Σ_c g, col[n, c] = Σ_r g.
void sumTerms(const float* g, float* row, float* col, std::int64_t count, std::int64_t rows,
              std::int64_t cols);
void sumTerms(const double* g, double* row, double* col, std::int64_t count, std::int64_t rows,
              std::int64_t cols);

/// For each row n: s ← 0 where s · unit[n] is not above `least`; kept[n]: how many are.
void dropSmall(float* s, std::int64_t count, std::int64_t length, const float* unit, float least,
               float* kept);
void dropSmall(double* s, std::int64_t count, std::int64_t length, const double* unit, double least,
               double* kept);

/// g ← 0 where s is not above `least`, over `size` values: what dropSmall's gradient is.
void dropWhereSmall(float* g, const float* s, float least, std::int64_t size);
void dropWhereSmall(double* g, const double* s, double least, std::int64_t size);

/// sum[n] = Σ_j |s[n, j]|.
void absoluteSums(const float* s, std::int64_t count, std::int64_t length, float* sum);
void absoluteSums(const double* s, std::int64_t count, std::int64_t length, double* sum);

/// For rows A = u · reciprocal, where the reciprocal is that of Σ|u|: dA ← du =
/// (dA − sign(A)·Σ_j dA⊙A) · reciprocal. A row whose reciprocal is `most` was so small that its sum
/// was taken for a constant.
void unitRowsBackward(const float* a, const float* reciprocal, float most, float* dA,
                      std::int64_t count, std::int64_t length);
void unitRowsBackward(const double* a, const double* reciprocal, double most, double* dA,
                      std::int64_t count, std::int64_t length);

}  // namespace headlight::rows
