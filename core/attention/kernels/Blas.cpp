// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/Blas.h"

#include <dlfcn.h>

namespace headlight::blas {
namespace {

template <typename T>
using Gemm = void (*)(const char* turnA, const char* turnB, const int* m, const int* n,
                      const int* k, const T* alpha, const T* a, const int* lda, const T* b,
                      const int* ldb, const T* beta, T* c, const int* ldc);

template <typename T>
Gemm<T> found(const char* name) {
  return reinterpret_cast<Gemm<T>>(::dlsym(RTLD_DEFAULT, name));
}

const Gemm<float> g_single = found<float>("sgemm_");
const Gemm<double> g_double = found<double>("dgemm_");

template <typename T>
void call(Gemm<T> routine, bool turnA, bool turnB, std::int64_t m, std::int64_t n, std::int64_t k,
          T alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c,
          std::int64_t ldc) {
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), inner = static_cast<int>(k),
            strideA = static_cast<int>(lda), strideB = static_cast<int>(ldb),
            strideC = static_cast<int>(ldc);
  routine(turnA ? "T" : "N", turnB ? "T" : "N", &rows, &columns, &inner, &alpha, a, &strideA, b,
          &strideB, &beta, c, &strideC);
}

}  // namespace

bool available() {
  return g_single && g_double;
}

void gemm(bool turnA, bool turnB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
          const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
          std::int64_t ldc) {
  call(g_single, turnA, turnB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm(bool turnA, bool turnB, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
          const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double beta,
          double* c, std::int64_t ldc) {
  call(g_double, turnA, turnB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace headlight::blas
