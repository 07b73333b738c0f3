// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace headlight {

std::int64_t RandomStream::below(std::int64_t count) {
  // The high half of a 64 × 64 bit product: its bias is below count / 2⁶⁴.
  const auto product = static_cast<unsigned __int128>(next()) * static_cast<std::uint64_t>(count);
  return static_cast<std::int64_t>(product >> 64);
}

double RandomStream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t key) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  RandomStream stream(key);
  for (std::int64_t i = count - 1; i > 0; --i)
    std::swap(order[i], order[stream.below(i + 1)]);
  return order;
}

std::vector<double> randomRotation(int size, std::uint64_t seed) {
  RandomStream random(streamKey({seed, 0x707a7e}));
  std::vector<double> rows(size * size);
  for (double& value : rows)
    value = random.normal();
  // Gram and Schmidt, twice: what rounding leaves of the earlier rows goes in the second pass.
  for (int i = 0; i < size; ++i) {
    double* row = rows.data() + i * size;
    for (int j = 0; j < 2 * i; ++j) {
      const double* earlier = rows.data() + (j % i) * size;
      double along = 0;
      for (int k = 0; k < size; ++k)
        along += row[k] * earlier[k];
      for (int k = 0; k < size; ++k)
        row[k] -= along * earlier[k];
    }
    double squares = 0;
    for (int k = 0; k < size; ++k)
      squares += row[k] * row[k];
    for (int k = 0; k < size; ++k)
      row[k] /= std::sqrt(squares);
  }
  return rows;
}

}  // namespace headlight
