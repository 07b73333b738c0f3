// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/masks/HeadMean.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace headlight {

double meanOverHeads(const std::vector<std::vector<float>>& layers) {
  double sum = 0;
  std::int64_t count = 0;
  for (const auto& heads : layers)
    for (const float value : heads)
      if (std::isfinite(value)) sum += static_cast<double>(value), ++count;
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace headlight
