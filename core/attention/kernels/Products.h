// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The products of the dense kernel: in its own precision by BLAS, or in bfloat16
// (NarrowProducts.h). Internal to the kernels.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/attention/kernels/Blas.h"
#include "core/attention/kernels/NarrowProducts.h"
#include "core/attention/kernels/RowMath.h"
#include "core/attention/kernels/heads/HeadView.h"

namespace headlight::dense {

/// What the numbers of a product are rounded to before it; sums have the kernel's own precision.
enum class Arithmetic { Own, BFloat16 };

using narrow::Matrix;
using narrow::Sizes;

/// For float, double, or the bits of bfloat16 (Matrix's T).
template <typename Kept>
Matrix<Kept> plain(const Kept* data, std::int64_t row) {
  return {data, row, false};
}
template <typename Kept>
Matrix<Kept> turned(const Kept* data, std::int64_t row) {
  return {data, row, true};
}

/// C [m, n] ← scale · A B, or C + that, as narrow::product(); what is kept in bfloat16 is
/// multiplied so whatever `arithmetic` says.
template <typename T, typename A, typename B>
void multiply(Arithmetic arithmetic, const Sizes& sizes, T scale, const Matrix<A>& a,
              const Matrix<B>& b, bool add, T* c, std::int64_t rowC) {
  if constexpr (std::is_same_v<A, T> && std::is_same_v<B, T>)
    if (std::is_same_v<T, double> || arithmetic == Arithmetic::Own)
      return blas::gemm(b.turned, a.turned, sizes.n, sizes.m, sizes.k, scale, b.data, b.row, a.data,
                        a.row, T(add ? 1 : 0), c, rowC);
  if constexpr (std::is_same_v<T, float>) narrow::product(sizes, scale, a, b, add, c, rowC);
}

/// Where rows are computed that are kept at `rows`: there, or where they are kept in bfloat16,
/// in `room` first.
template <typename T, typename Kept>
class RowsToKeep {
 public:
  RowsToKeep(Kept* rows, std::int64_t row, std::int64_t count, std::int64_t width,
             std::vector<T>& room)
      : m_rows(rows), m_row(row), m_count(count), m_width(width) {
    if constexpr (!std::is_same_v<T, Kept>) {
      room.resize(count * width);
      m_room = room.data();
    }
  }
  T* data() const {
    if constexpr (std::is_same_v<T, Kept>) return m_rows;
    return m_room;
  }
  std::int64_t row() const { return std::is_same_v<T, Kept> ? m_row : m_width; }
  /// Once they are computed.
  void keep() const {
    if constexpr (!std::is_same_v<T, Kept>)
      rows::narrowRows(m_room, m_count, m_width, m_rows, m_row);
  }

 private:
  Kept* m_rows;
  std::int64_t m_row, m_count, m_width;
  T* m_room = nullptr;
};

}  // namespace headlight::dense
