// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How sure an accuracy is that was counted on so many images. No torch type here.

#include <cstdint>

namespace headlight {

struct AccuracyInterval {
  double low = 0, high = 1;
};

/// Wilson's interval of a share (Wilson 1927), 95 %: center (p + z²/2n) / (1 + z²/n), half width
/// z √(p(1 − p)/n + z²/4n²) / (1 + z²/n), z = 1.96. Of no images: [0, 1].
AccuracyInterval wilsonInterval(std::int64_t right, std::int64_t images);

}  // namespace headlight
