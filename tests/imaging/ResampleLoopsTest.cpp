// SPDX-License-Identifier: GPL-3.0-or-later

// The passes of a resampling against their definition, pixel by pixel, with rows that fill the
// vectors of the loops, that do not, and that are alone.

#include "core/imaging/ResampleLoops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/base/Random.h"

namespace headlight {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes noise(std::size_t count) {
  RandomStream draw(7);
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes)
    byte = static_cast<std::uint8_t>(draw.below(256));
  return bytes;
}

/// The weighted sum of `in(0)` to `in(count − 1)`, rounded to the nearest and clamped.
template <typename Input>
std::uint8_t weighted(int count, const std::int32_t* weights, const Input& in) {
  std::int64_t sum = 1 << (kPrecisionBits - 1);
  for (int k = 0; k < count; ++k)
    sum += std::int64_t{weights[k]} * in(k);
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> kPrecisionBits, 0, 255));
}

ResampleWeights weightsOf(int from, int to, Interpolation interpolation) {
  return weightsFor({0, double(from), to, 0, to, from}, interpolation);
}

TEST(ResampleLoops, AcrossIsTheWeightedSumOfEveryRow) {
  for (const Interpolation interpolation : {Interpolation::Bilinear, Interpolation::Bicubic})
    for (const auto& [from, to] : {std::pair{37, 11}, {11, 37}, {1, 5}, {64, 64}})
      for (const int rows : {1, 15, 16, 17, 40}) {
        const ResampleWeights weights = weightsOf(from, to, interpolation);
        const std::size_t inBytes = std::size_t(3) * from;
        const Bytes in = noise(inBytes * rows);
        Bytes out(std::size_t(3) * to * rows), expected;
        resampleAcross({in.data(), inBytes, rows}, weights, out.data());
        for (int y = 0; y < rows; ++y)
          for (int x = 0; x < to; ++x)
            for (int channel = 0; channel < 3; ++channel)
              expected.push_back(weighted(weights.spans[x].count, weights.of(x), [&](int k) {
                return in[inBytes * y + 3 * (weights.spans[x].first + k) + channel];
              }));
        EXPECT_EQ(out, expected) << from << " to " << to << ", " << rows << " rows";
      }
}

TEST(ResampleLoops, DownIsTheWeightedSumOfEveryColumn) {
  for (const Interpolation interpolation : {Interpolation::Bilinear, Interpolation::Bicubic})
    for (const auto& [from, to] : {std::pair{37, 11}, {11, 37}, {1, 5}})
      for (const std::size_t bytes : {3, 48, 51}) {
        const ResampleWeights weights = weightsOf(from, to, interpolation);
        const Bytes in = noise(bytes * from);
        Bytes out(bytes * to), expected;
        resampleDown({in.data(), bytes, from}, 0, weights, out.data());
        for (int y = 0; y < to; ++y)
          for (std::size_t i = 0; i < bytes; ++i)
            expected.push_back(weighted(weights.spans[y].count, weights.of(y), [&](int k) {
              return in[bytes * (weights.spans[y].first + k) + i];
            }));
        EXPECT_EQ(out, expected) << from << " to " << to << ", " << bytes << " bytes";
      }
}

TEST(ResampleLoops, DownCountsRowsFromTheFirstOneGiven) {
  const ResampleWeights weights = weightsOf(9, 9, Interpolation::Bilinear);
  ResampleWeights last = weights;
  last.spans.erase(last.spans.begin(), last.spans.begin() + 5);
  last.values.erase(last.values.begin(),
                    last.values.begin() + static_cast<std::ptrdiff_t>(5 * last.stride));
  const Bytes in = noise(std::size_t(6) * 9);
  Bytes whole(std::size_t(6) * 9), part(std::size_t(6) * 4);
  resampleDown({in.data(), 6, 9}, 0, weights, whole.data());
  const int origin = last.spans.front().first;
  resampleDown({in.data() + 6 * origin, 6, 9 - origin}, origin, last, part.data());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 6 * 5));
}

}  // namespace
}  // namespace headlight
