// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Of which queries and keys a joint map is made. No torch type here.

#include <cstdint>
#include <string>

#include "core/config/Parameter.h"

namespace headlight {

struct QueryKeyOptions {
  int layer = -1;  ///< −1: the last
  int head = 0;
  int images = 32;               ///< at most so many, drawn from all
  int tokens = 64;               ///< at most so many of each image; prefix tokens stay
  std::string scale = "spread";  ///< spread | correlation (KeyAlignment.h)
  std::int64_t seed = 0;         ///< of the images and tokens that are drawn
};

/// All but the seed: for flags, the form and the checks.
const ParameterTable& queryKeyParameters();

/// Queries and keys of a map; of more, fewer images are taken, and the map says so.
inline constexpr std::int64_t kMostQueryKeyPoints = 40'000;

}  // namespace headlight
