// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What soft masks learned (MaiT §4.3), as a file keeps it beside the tensors.

#include <optional>

#include "core/masks/HeadMask.h"

namespace headlight {

/// One α that a head learned: another start, or another count of resets, learns another.
struct LearnedAlpha {
  int layer = 0;
  int head = 0;
  HeadMask from;  ///< soft: `alpha` and `resets` say which one it is; the window does not matter
  /// a of α = sigmoid(a), of one that was set aside; nothing: it stands in soft_mask_logit.
  std::optional<double> logit;
};

}  // namespace headlight
