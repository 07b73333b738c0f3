// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Matrix products of numbers rounded to bfloat16, whose sums stay float32: by the instructions of
// processors with AVX512-BF16, for kernels that multiply small matrices inside their own threads.

#include <cstdint>

namespace headlight::narrow {

/// Whether this processor has them; elsewhere nothing of this may be called.
bool available();

/// What a product reads: element (i, j) at data[i · row + j], or turned, at data[j · row + i].
/// T: float, which is rounded to the nearest (ties to even), or the 16 bits of a bfloat16.
template <typename T>
struct Matrix {
  const T* data = nullptr;
  std::int64_t row = 0;
  bool turned = false;
};

/// The sizes of C [m, n] ← scale · A [m, k] · B [k, n], or C + that. All at least 1.
struct Sizes {
  std::int64_t m = 0, n = 0, k = 0;
};

/// C is row-major, its rows `rowC` apart. An element is summed in the order of k, whatever the
/// other sizes are. Numbers below the smallest normal one count as zero. On the calling thread.
template <typename A, typename B>
void product(const Sizes& sizes, float scale, const Matrix<A>& a, const Matrix<B>& b, bool add,
             float* c, std::int64_t rowC);

}  // namespace headlight::narrow
