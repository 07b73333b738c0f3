// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/BatchSide.h"

#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr int kSideStep = 32;  // pixels: the greatest stride of a backbone

}  // namespace

std::vector<int> batchSides(int side) {
  std::vector<int> sides;
  // In fifths, so that no rounding leaves out an end.
  for (int s = (4 * side + 5 * kSideStep - 1) / (5 * kSideStep) * kSideStep; 5 * s <= 6 * side;
       s += kSideStep)
    if (s > 0) sides.push_back(s);
  return sides.empty() ? std::vector<int>{side} : sides;
}

int sideOfBatch(int side, std::uint64_t key) {
  const auto sides = batchSides(side);
  return sides[static_cast<std::size_t>(RandomStream(key).below(std::ssize(sides)))];
}

}  // namespace headlight
