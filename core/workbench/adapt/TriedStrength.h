// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a penalty of the linear probe came to, on the images that choose. No torch type here.

namespace headlight {

struct TriedStrength {
  double l2 = 0;
  double top1 = 0;  ///< in [0, 1]
  double loss = 0;  ///< mean
};

}  // namespace headlight
