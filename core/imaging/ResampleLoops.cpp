// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/ResampleLoops.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/Clones.h"

namespace headlight {
namespace {

constexpr std::int32_t kHalf = 1 << (kPrecisionBits - 1);
/// Rows that are summed side by side: three channels of one row do not fill a vector.
constexpr int kLanes = 16;
using Lanes = std::uint8_t __attribute__((vector_size(kLanes)));

HEADLIGHT_INLINE std::uint8_t toByte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kPrecisionBits, 0, 255));
}

/// One channel of one output pixel of all lanes; `in` has its inputs 3·kLanes apart.
HEADLIGHT_INLINE void sumLanes(const std::uint8_t* in, const std::int32_t* weights, int count,
                               std::uint8_t* out) {
  std::int32_t sums[kLanes];
  std::fill_n(sums, kLanes, kHalf);
  for (int k = 0; k < count; ++k, in += 3 * kLanes)
    for (int lane = 0; lane < kLanes; ++lane)
      sums[lane] += in[lane] * weights[k];
  std::transform(sums, sums + kLanes, out, toByte);
}

/// From [input bytes, kLanes] to [output bytes, kLanes].
HEADLIGHT_CLONES_16
void sumAcross(const std::uint8_t* in, const ResampleWeights& weights, std::uint8_t* out) {
  for (std::size_t x = 0; x < weights.spans.size(); ++x)
    for (int channel = 0; channel < 3; ++channel, out += kLanes) {
      const auto [first, count] = weights.spans[x];
      sumLanes(in + (std::size_t(3) * static_cast<std::size_t>(first) + channel) * kLanes,
               weights.of(x), count, out);
    }
}

HEADLIGHT_CLONES_16
void addRow(const std::uint8_t* in, std::size_t bytes, std::int32_t weight, std::int32_t* sums) {
  for (std::size_t i = 0; i < bytes; ++i)
    sums[i] += in[i] * weight;
}

HEADLIGHT_CLONES_16
void keepRow(const std::int32_t* sums, std::size_t bytes, std::uint8_t* out) {
  for (std::size_t i = 0; i < bytes; ++i)
    out[i] = toByte(sums[i]);
}

/// Rows to columns: four rounds in which each row is interleaved with the one half a block below.
void transpose(Lanes (&block)[kLanes]) {
  for (int round = 0; round < 4; ++round) {
    Lanes next[kLanes];
    for (int i = 0; i < kLanes / 2; ++i) {
      const Lanes upper = block[i], lower = block[i + kLanes / 2];
      next[2 * i] = __builtin_shufflevector(upper, lower, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                                            6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(upper, lower, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                                13, 29, 14, 30, 15, 31);
    }
    std::copy(next, next + kLanes, block);
  }
}

void copyBytes(const void* from, std::size_t bytes, void* to) {
  if (bytes == kLanes)  // a constant, for which no function is called
    std::memcpy(to, from, kLanes);
  else
    std::memcpy(to, from, bytes);
}

/// `rows` rows of `in` to columns of kLanes bytes.
void toColumns(const std::uint8_t* in, std::size_t bytes, int rows, std::uint8_t* out) {
  for (std::size_t at = 0; at < bytes; at += kLanes, out += kLanes * kLanes) {
    const std::size_t size = std::min<std::size_t>(kLanes, bytes - at);
    Lanes block[kLanes]{};
    for (int row = 0; row < rows; ++row)
      copyBytes(in + static_cast<std::size_t>(row) * bytes + at, size, &block[row]);
    transpose(block);
    std::memcpy(out, block, sizeof block);
  }
}

/// The other way round.
void toRows(const std::uint8_t* in, std::size_t bytes, int rows, std::uint8_t* out) {
  for (std::size_t at = 0; at < bytes; at += kLanes, in += kLanes * kLanes) {
    const std::size_t size = std::min<std::size_t>(kLanes, bytes - at);
    Lanes block[kLanes];
    std::memcpy(block, in, sizeof block);
    transpose(block);
    for (int row = 0; row < rows; ++row)
      copyBytes(&block[row], size, out + static_cast<std::size_t>(row) * bytes + at);
  }
}

/// Room for kLanes rows as columns, of whole blocks.
std::vector<std::uint8_t> columnsOf(std::size_t bytes) {
  return std::vector<std::uint8_t>((bytes + kLanes - 1) / kLanes * kLanes * kLanes);
}

}  // namespace

void resampleAcross(const PixelRows& rows, const ResampleWeights& weights, std::uint8_t* out) {
  const std::size_t outBytes = weights.spans.size() * 3;
  std::vector<std::uint8_t> before = columnsOf(rows.bytes), after = columnsOf(outBytes);
  for (int y = 0; y < rows.count; y += kLanes) {
    const int lanes = std::min(kLanes, rows.count - y);
    toColumns(rows.first + static_cast<std::size_t>(y) * rows.bytes, rows.bytes, lanes,
              before.data());
    sumAcross(before.data(), weights, after.data());
    toRows(after.data(), outBytes, lanes, out + static_cast<std::size_t>(y) * outBytes);
  }
}

void resampleDown(const PixelRows& rows, int origin, const ResampleWeights& weights,
                  std::uint8_t* out) {
  std::vector<std::int32_t> sums(rows.bytes);
  for (std::size_t y = 0; y < weights.spans.size(); ++y, out += rows.bytes) {
    const auto [first, count] = weights.spans[y];
    std::fill(sums.begin(), sums.end(), kHalf);
    const std::uint8_t* row = rows.first + static_cast<std::size_t>(first - origin) * rows.bytes;
    for (int k = 0; k < count; ++k, row += rows.bytes)
      addRow(row, rows.bytes, weights.of(y)[k], sums.data());
    keepRow(sums.data(), rows.bytes, out);
  }
}

}  // namespace headlight
