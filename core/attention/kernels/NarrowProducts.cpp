// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/NarrowProducts.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

#include <array>
#include <utility>

#define HEADLIGHT_NARROW __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))
#endif

namespace headlight::narrow {

#ifdef HEADLIGHT_NARROW
namespace {

constexpr std::int64_t kLane = 16;              ///< pairs, or sums, of a vector
constexpr int kMostRows = 6, kMostVectors = 4;  ///< whose sums the registers hold

/// Neighbors along k lie side by side in 32 bits, as one instruction multiplies them.
using Pair = std::uint32_t;
struct alignas(64) Line {
  Pair pairs[kLane];
};

std::int64_t linesOf(std::int64_t count) {
  return (count + kLane - 1) / kLane;
}

/// An operand arranged in pairs: that of row (A) or column (B) i and the k's 2p and 2p + 1 lies at
/// data[i · each + p · next].
struct Arranged {
  const Pair* data;
  std::int64_t each, next;
};

HEADLIGHT_NARROW __mmask16 first16(std::int64_t count) {
  return static_cast<__mmask16>(count >= kLane ? 0xffff
                                               : (1 << std::max<std::int64_t>(0, count)) - 1);
}

/// 32 numbers of a row as 16 pairs; beyond `count` they are zero.
HEADLIGHT_NARROW __m512i pairsOf(const float* row, std::int64_t count) {
  const __m512 low = _mm512_maskz_loadu_ps(first16(count), row),
               high = _mm512_maskz_loadu_ps(first16(count - kLane), row + kLane);
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
}
HEADLIGHT_NARROW __m512i pairsOf(const std::uint16_t* row, std::int64_t count) {
  const auto mask = static_cast<__mmask32>(
      count >= 2 * kLane ? 0xffffffffu : (1u << std::max<std::int64_t>(0, count)) - 1);
  return _mm512_maskz_loadu_epi16(mask, row);
}

/// 16 numbers of a row, each in the low half of 32 bits; beyond `count` they are zero.
HEADLIGHT_NARROW __m512i halvesOf(const float* row, std::int64_t count) {
  const __m512 numbers = _mm512_maskz_loadu_ps(first16(count), row);
  return _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(numbers)));
}
HEADLIGHT_NARROW __m512i halvesOf(const std::uint16_t* row, std::int64_t count) {
  return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(first16(count), row));
}

/// For matrices whose k lies along the rows in memory: [i][pairs], whole lines.
template <typename T>
HEADLIGHT_NARROW void arrangeRows(const T* data, std::int64_t row, std::int64_t count,
                                  std::int64_t k, Line* to) {
  const std::int64_t lines = linesOf((k + 1) / 2);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t line = 0; line < lines; ++line) {
      const std::int64_t first = line * 2 * kLane;
      _mm512_store_si512(to + i * lines + line, pairsOf(data + i * row + first, k - first));
    }
}

/// For matrices whose k goes from row to row in memory: [pair][i], whole lines.
template <typename T>
HEADLIGHT_NARROW void interleaveRows(const T* data, std::int64_t row, std::int64_t count,
                                     std::int64_t k, Line* to) {
  const std::int64_t lines = linesOf(count);
  for (std::int64_t p = 0; 2 * p < k; ++p) {
    const T* even = data + 2 * p * row;
    const std::int64_t odds = 2 * p + 1 < k ? count : 0;
    for (std::int64_t line = 0; line < lines; ++line) {
      const std::int64_t first = line * kLane;
      const __m512i low = halvesOf(even + first, count - first),
                    high = halvesOf(odds > 0 ? even + row + first : even, odds - first);
      _mm512_store_si512(to + p * lines + line, _mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
    }
  }
}

/// 16 × 16, in place.
HEADLIGHT_NARROW void transpose(__m512i (&rows)[kLane]) {
  __m512i other[kLane];
  for (int i = 0; i < kLane; i += 2) {
    other[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    other[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  for (int i = 0; i < kLane; i += 4)
    for (int j = 0; j < 2; ++j) {
      rows[i + 2 * j] = _mm512_unpacklo_epi64(other[i + j], other[i + j + 2]);
      rows[i + 2 * j + 1] = _mm512_unpackhi_epi64(other[i + j], other[i + j + 2]);
    }
  // Now quarter q of rows[4 · a + b] is column 4 · q + b of the rows 4 · a to 4 · a + 3.
  for (int b = 0; b < 4; ++b) {
    const __m512i low01 = _mm512_shuffle_i32x4(rows[b], rows[b + 4], 0x44),
                  high01 = _mm512_shuffle_i32x4(rows[b], rows[b + 4], 0xee),
                  low23 = _mm512_shuffle_i32x4(rows[b + 8], rows[b + 12], 0x44),
                  high23 = _mm512_shuffle_i32x4(rows[b + 8], rows[b + 12], 0xee);
    other[b] = _mm512_shuffle_i32x4(low01, low23, 0x88);
    other[b + 4] = _mm512_shuffle_i32x4(low01, low23, 0xdd);
    other[b + 8] = _mm512_shuffle_i32x4(high01, high23, 0x88);
    other[b + 12] = _mm512_shuffle_i32x4(high01, high23, 0xdd);
  }
  for (int i = 0; i < kLane; ++i)
    rows[i] = other[i];
}

/// For matrices whose k lies along the rows in memory: [pair][i], whole lines.
template <typename T>
HEADLIGHT_NARROW void turnRows(const T* data, std::int64_t row, std::int64_t count, std::int64_t k,
                               Line* to) {
  const std::int64_t lines = linesOf(count), pairs = (k + 1) / 2;
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t p = 0; p < pairs; p += kLane) {
      __m512i tile[kLane];
      for (std::int64_t i = 0; i < kLane; ++i) {
        const std::int64_t at = line * kLane + i;
        tile[i] = at < count ? pairsOf(data + at * row + 2 * p, k - 2 * p) : __m512i{};
      }
      transpose(tile);
      for (std::int64_t i = 0; i < std::min(kLane, pairs - p); ++i)
        _mm512_store_si512(to + (p + i) * lines + line, tile[i]);
    }
}

/// Rows of C and vectors of its columns, of which the last is cut by `last`.
struct Target {
  float* c;
  std::int64_t row;
  float scale;
  bool add;
  __mmask16 last;
};

template <int kRows, int kVectors>
HEADLIGHT_NARROW void block(const Arranged& a, const Arranged& b, std::int64_t pairs,
                            const Target& target) {
  __m512 sums[kRows][kVectors] = {};
  for (std::int64_t p = 0; p < pairs; ++p) {
    __m512bh right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      right[v] = reinterpret_cast<__m512bh>(_mm512_load_si512(b.data + p * b.next + v * kLane));
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
      const auto left = reinterpret_cast<__m512bh>(
          _mm512_set1_epi32(static_cast<int>(a.data[r * a.each + p * a.next])));
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        sums[r][v] = _mm512_dpbf16_ps(sums[r][v], left, right[v]);
    }
  }
  const __m512 scale = _mm512_set1_ps(target.scale);
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      float* to = target.c + r * target.row + v * kLane;
      const __mmask16 mask = v == kVectors - 1 ? target.last : static_cast<__mmask16>(0xffff);
      __m512 value = _mm512_mul_ps(sums[r][v], scale);
      if (target.add) value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(mask, to));
      _mm512_mask_storeu_ps(to, mask, value);
    }
}

using Block = void (*)(const Arranged&, const Arranged&, std::int64_t, const Target&);

template <int... kIndices>
constexpr std::array<Block, sizeof...(kIndices)> blocksOf(std::integer_sequence<int, kIndices...>) {
  return {block<kIndices / kMostVectors + 1, kIndices % kMostVectors + 1>...};
}
constexpr auto kBlocks = blocksOf(std::make_integer_sequence<int, kMostRows * kMostVectors>());

void multiply(const Sizes& sizes, float scale, const Arranged& a, const Arranged& b, bool add,
              float* c, std::int64_t rowC) {
  constexpr std::int64_t kColumns = kMostVectors * kLane;
  const std::int64_t pairs = (sizes.k + 1) / 2;
  for (std::int64_t n = 0; n < sizes.n; n += kColumns) {
    const std::int64_t columns = std::min(kColumns, sizes.n - n), vectors = linesOf(columns);
    const __mmask16 last = first16(columns - (vectors - 1) * kLane);
    for (std::int64_t m = 0; m < sizes.m; m += kMostRows) {
      const std::int64_t rows = std::min<std::int64_t>(kMostRows, sizes.m - m);
      kBlocks[(rows - 1) * kMostVectors + vectors - 1]({a.data + m * a.each, a.each, a.next},
                                                       {b.data + n, 1, b.next}, pairs,
                                                       {c + m * rowC + n, rowC, scale, add, last});
    }
  }
}

/// What a thread arranges operands in.
Line* roomFor(std::vector<Line>& room, std::int64_t lines) {
  if (std::ssize(room) < lines) room.resize(lines);
  return room.data();
}

}  // namespace

bool available() {
  static const bool has =
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bf16");
  return has;
}

template <typename A, typename B>
void product(const Sizes& sizes, float scale, const Matrix<A>& a, const Matrix<B>& b, bool add,
             float* c, std::int64_t rowC) {
  thread_local std::vector<Line> leftRoom, rightRoom;
  const std::int64_t pairs = (sizes.k + 1) / 2, columnLines = linesOf(sizes.n),
                     leftLines = linesOf(a.turned ? sizes.m : pairs);
  Line* left = roomFor(leftRoom, leftLines * (a.turned ? pairs : sizes.m));
  Line* right = roomFor(rightRoom, columnLines * pairs);
  if (a.turned)
    interleaveRows(a.data, a.row, sizes.m, sizes.k, left);
  else
    arrangeRows(a.data, a.row, sizes.m, sizes.k, left);
  if (b.turned)
    turnRows(b.data, b.row, sizes.n, sizes.k, right);
  else
    interleaveRows(b.data, b.row, sizes.n, sizes.k, right);
  const std::int64_t apart = leftLines * kLane;
  multiply(sizes, scale, {left->pairs, a.turned ? 1 : apart, a.turned ? apart : 1},
           {right->pairs, 1, columnLines * kLane}, add, c, rowC);
}

#else

bool available() {
  return false;
}

template <typename A, typename B>
void product(const Sizes&, float, const Matrix<A>&, const Matrix<B>&, bool, float*, std::int64_t) {
  std::abort();  // nobody calls it where it is not available
}

#endif

using Half = std::uint16_t;
template void product(const Sizes&, float, const Matrix<float>&, const Matrix<float>&, bool, float*,
                      std::int64_t);
template void product(const Sizes&, float, const Matrix<float>&, const Matrix<Half>&, bool, float*,
                      std::int64_t);
template void product(const Sizes&, float, const Matrix<Half>&, const Matrix<float>&, bool, float*,
                      std::int64_t);
template void product(const Sizes&, float, const Matrix<Half>&, const Matrix<Half>&, bool, float*,
                      std::int64_t);

}  // namespace headlight::narrow
