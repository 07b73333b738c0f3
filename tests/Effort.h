// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How much tests that sample (faults, kills, mutations) do: HEADLIGHT_TEST_EFFORT times what they
// do in passing. See tests/README.md.

#include <algorithm>
#include <cstdlib>

namespace headlight {

inline long testEffort() {
  const char* asked = std::getenv("HEADLIGHT_TEST_EFFORT");
  return std::clamp(asked ? std::atol(asked) : 1L, 1L, 1'000'000L);
}

}  // namespace headlight
