// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The BLAS that LibTorch itself uses, for kernels that multiply small matrices inside their own
// threads. LibTorch does not export its wrapper, so the routine is looked up by its Fortran name.

#include <cstdint>

namespace headlight::blas {

/// False where LibTorch's BLAS hides its names: use LibTorch's own operations then.
bool available();

/// C ← alpha·op(A)·op(B) + beta·C, column-major, as GEMM: op(A) is m × k, op(B) k × n. `turnA` and
/// `turnB` transpose. Runs on the calling thread alone inside a parallel region.
void gemm(bool turnA, bool turnB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
          const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
          std::int64_t ldc);
void gemm(bool turnA, bool turnB, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
          const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double beta,
          double* c, std::int64_t ldc);

}  // namespace headlight::blas
