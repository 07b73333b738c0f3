// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/AccuracyInterval.h"

#include <algorithm>
#include <cmath>

namespace headlight {

AccuracyInterval wilsonInterval(std::int64_t right, std::int64_t images) {
  constexpr double kDeviations = 1.959963984540054;
  if (images <= 0) return {};
  const double n = static_cast<double>(images), share = static_cast<double>(right) / n;
  const double square = kDeviations * kDeviations, scale = 1 + square / n;
  const double center = (share + square / (2 * n)) / scale;
  const double half =
      kDeviations / scale * std::sqrt(share * (1 - share) / n + square / (4 * n * n));
  return {std::max(0.0, center - half), std::min(1.0, center + half)};
}

}  // namespace headlight
