// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/LogitMath.h"

#include "core/attention/kernels/VectorMath.h"

namespace headlight::rows {
namespace {

template <typename T>
HEADLIGHT_INLINE void addAll(T* s, const T* x, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j)
    s[j] += x[j];
}

template <typename T>
HEADLIGHT_INLINE void multiplyAll(T* s, const T* x, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j)
    s[j] *= x[j];
}

template <typename T>
HEADLIGHT_INLINE void addProducts(T* sum, const T* a, const T* b, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j)
    sum[j] += a[j] * b[j];
}

template <typename T>
HEADLIGHT_INLINE void blendAll(T* s, const T* m, T alpha, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j)
    s[j] *= m[j] + alpha * (T(1) - m[j]);
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

template <typename T>
HEADLIGHT_INLINE void forbidAll(T* s, const T* m, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j)
    s[j] = m[j] == T(0) ? -std::numeric_limits<T>::infinity() : s[j];
}

template <typename T>
HEADLIGHT_INLINE void separateAll(T* s, const bool* apart, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j)
    s[j] = apart[j] ? -std::numeric_limits<T>::infinity() : s[j];
}

template <typename T>
HEADLIGHT_INLINE void addAllTerms(T* s, const T* row, const T* col, std::int64_t count,
                                  std::int64_t rows, std::int64_t cols) {
  for (std::int64_t n = 0; n < count; ++n, row += rows, col += cols)
    for (std::int64_t r = 0; r < rows; ++r, s += cols) {
      const T term = row[r];
      for (std::int64_t c = 0; c < cols; ++c)
        s[c] += term + col[c];
    }
}

template <typename T>
HEADLIGHT_INLINE void sumAllTerms(const T* g, T* row, T* col, std::int64_t count, std::int64_t rows,
                                  std::int64_t cols) {
  for (std::int64_t n = 0; n < count; ++n, row += rows, col += cols) {
    std::fill_n(col, cols, T(0));
    for (std::int64_t r = 0; r < rows; ++r, g += cols) {
      T sum = 0;
      for (std::int64_t c = 0; c < cols; ++c) {
        sum += g[c];
        col[c] += g[c];
      }
      row[r] = sum;
    }
  }
}

template <typename T>
HEADLIGHT_INLINE void dropAllSmall(T* s, std::int64_t count, std::int64_t length, const T* unit,
                                   T least, T* kept) {
  for (std::int64_t n = 0; n < count; ++n, s += length) {
    std::int32_t number = 0;
    for (std::int64_t j = 0; j < length; ++j) {
      const bool stays = s[j] * unit[n] > least;
      s[j] = stays ? s[j] : T(0);
      number += stays ? 1 : 0;
    }
    kept[n] = static_cast<T>(number);
  }
}

template <typename T>
HEADLIGHT_INLINE void dropAllWhereSmall(T* g, const T* s, T least, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j)
    g[j] = s[j] > least ? g[j] : T(0);
}

template <typename T>
HEADLIGHT_INLINE void allAbsoluteSums(const T* s, std::int64_t count, std::int64_t length, T* sum) {
  for (std::int64_t n = 0; n < count; ++n, s += length) {
    T lanes[kLanes] = {};
    std::int64_t j = 0;
    for (; j + kLanes <= length; j += kLanes)
      for (std::int64_t k = 0; k < kLanes; ++k)
        lanes[k] += std::abs(s[j + k]);
    sum[n] = total(lanes);
    for (; j < length; ++j)
      sum[n] += std::abs(s[j]);
  }
}

template <typename T>
HEADLIGHT_INLINE void allUnitRowsBackward(const T* a, const T* reciprocal, T most, T* dA,
                                          std::int64_t count, std::int64_t length) {
  for (std::int64_t n = 0; n < count; ++n, a += length, dA += length) {
    const T dot = reciprocal[n] < most ? dotProduct(a, dA, length) : T(0);
    for (std::int64_t j = 0; j < length; ++j) {
      const T sign = T(a[j] > T(0)) - T(a[j] < T(0));
      dA[j] = (dA[j] - sign * dot) * reciprocal[n];
    }
  }
}

}  // namespace

HEADLIGHT_CLONES void add(float* s, const float* x, std::int64_t size) {
  addAll(s, x, size);
}
void add(double* s, const double* x, std::int64_t size) {
  addAll(s, x, size);
}

HEADLIGHT_CLONES void multiply(float* s, const float* x, std::int64_t size) {
  multiplyAll(s, x, size);
}
void multiply(double* s, const double* x, std::int64_t size) {
  multiplyAll(s, x, size);
}

HEADLIGHT_CLONES void addProduct(float* sum, const float* a, const float* b, std::int64_t size) {
  addProducts(sum, a, b, size);
}
void addProduct(double* sum, const double* a, const double* b, std::int64_t size) {
  addProducts(sum, a, b, size);
}

HEADLIGHT_CLONES void blend(float* s, const float* m, float alpha, std::int64_t size) {
  blendAll(s, m, alpha, size);
}
void blend(double* s, const double* m, double alpha, std::int64_t size) {
  blendAll(s, m, alpha, size);
}

HEADLIGHT_CLONES double outsideDot(const float* g, const float* s, const float* m,
                                   std::int64_t size) {
  return outsideDotOf(g, s, m, size);
}
double outsideDot(const double* g, const double* s, const double* m, std::int64_t size) {
  return outsideDotOf(g, s, m, size);
}

void forbid(float* s, const float* m, std::int64_t size) {
  forbidAll(s, m, size);
}
void forbid(double* s, const double* m, std::int64_t size) {
  forbidAll(s, m, size);
}

HEADLIGHT_CLONES void separate(float* s, const bool* apart, std::int64_t size) {
  separateAll(s, apart, size);
}
void separate(double* s, const bool* apart, std::int64_t size) {
  separateAll(s, apart, size);
}

HEADLIGHT_CLONES void addTerms(float* s, const float* row, const float* col, std::int64_t count,
                               std::int64_t rows, std::int64_t cols) {
  addAllTerms(s, row, col, count, rows, cols);
}
void addTerms(double* s, const double* row, const double* col, std::int64_t count,
              std::int64_t rows, std::int64_t cols) {
  addAllTerms(s, row, col, count, rows, cols);
}

HEADLIGHT_CLONES void sumTerms(const float* g, float* row, float* col, std::int64_t count,
                               std::int64_t rows, std::int64_t cols) {
  sumAllTerms(g, row, col, count, rows, cols);
}
void sumTerms(const double* g, double* row, double* col, std::int64_t count, std::int64_t rows,
              std::int64_t cols) {
  sumAllTerms(g, row, col, count, rows, cols);
}

HEADLIGHT_CLONES void dropSmall(float* s, std::int64_t count, std::int64_t length,
                                const float* unit, float least, float* kept) {
  dropAllSmall(s, count, length, unit, least, kept);
}
void dropSmall(double* s, std::int64_t count, std::int64_t length, const double* unit, double least,
               double* kept) {
  dropAllSmall(s, count, length, unit, least, kept);
}

HEADLIGHT_CLONES void dropWhereSmall(float* g, const float* s, float least, std::int64_t size) {
  dropAllWhereSmall(g, s, least, size);
}
void dropWhereSmall(double* g, const double* s, double least, std::int64_t size) {
  dropAllWhereSmall(g, s, least, size);
}

HEADLIGHT_CLONES void absoluteSums(const float* s, std::int64_t count, std::int64_t length,
                                   float* sum) {
  allAbsoluteSums(s, count, length, sum);
}
void absoluteSums(const double* s, std::int64_t count, std::int64_t length, double* sum) {
  allAbsoluteSums(s, count, length, sum);
}

HEADLIGHT_CLONES void unitRowsBackward(const float* a, const float* reciprocal, float most,
                                       float* dA, std::int64_t count, std::int64_t length) {
  allUnitRowsBackward(a, reciprocal, most, dA, count, length);
}
void unitRowsBackward(const double* a, const double* reciprocal, double most, double* dA,
                      std::int64_t count, std::int64_t length) {
  allUnitRowsBackward(a, reciprocal, most, dA, count, length);
}

}  // namespace headlight::rows
