// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Counter-based randomness: every draw is a function of (seed, what it is for, index), never of
// what was drawn before. Sampling order, augmentation and synthetic images therefore need no saved
// state, and a resumed run draws what an uninterrupted one would have drawn.

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace headlight {

/// SplitMix64's finalizer: a bijection that scatters neighboring inputs.
constexpr std::uint64_t mixBits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// One key from several numbers, order mattering: streamKey({seed, epoch, index}).
constexpr std::uint64_t streamKey(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t key = 0x243f6a8885a308d3ULL;
  for (const std::uint64_t part : parts)
    key = mixBits(key ^ mixBits(part));
  return key;
}

/// One key from a text, after `key`; "ab" then "c" is another one than "a" then "bc".
constexpr std::uint64_t mixText(std::uint64_t key, std::string_view text) {
  for (const char letter : text)
    key = mixBits(key ^ static_cast<unsigned char>(letter));
  return mixBits(key ^ text.size());
}

/// A small generator over one stream. The same key gives the same draws on every platform.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t key) : m_key(key) {}
  std::uint64_t next() { return mixBits(m_key + 0x9e3779b97f4a7c15ULL * m_counter++); }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in {0, …, count − 1}; count > 0.
  std::int64_t below(std::int64_t count);
  /// Standard normal (Box–Muller, one of the pair).
  double normal();

 private:
  std::uint64_t m_key;
  std::uint64_t m_counter = 0;
};

/// [size, size], row-major: orthogonal, uniformly drawn.
std::vector<double> randomRotation(int size, std::uint64_t seed);

/// 0 … count−1 in an order that depends on the key alone (Fisher–Yates).
std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t key);

}  // namespace headlight
