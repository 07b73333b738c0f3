// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// RandAugment as timm spells it: "rand-m9-mstd0.5-inc1", sections in any order after "rand".

#include <string>

#include "core/base/Result.h"

namespace headlight {

/// RandAugment (Cubuk et al. 2020) with timm's noise on the magnitude; defaults are timm's.
struct RandAugmentSpec {
  double magnitude = 10;     ///< m, 0 to 100, on timm's scale of 10
  int operations = 2;        ///< n, 1 to 16: operations drawn for an image, with replacement
  double probability = 0.5;  ///< p, 0 to 1: that a drawn operation is applied
  double deviation = 0;      ///< mstd: of the magnitude's normal noise; infinite: uniform in [0, m]
  double greatest = 10;      ///< mmax, 1 to 100: magnitudes are clipped to [0, greatest]
  bool increasing = false;   ///< inc: operations all grow stronger with the magnitude
};

/// What the option's help and every error say is allowed.
inline constexpr const char* kRandAugmentGrammar =
    "rand, followed by any of -mN (magnitude 0 to 100), -nN (1 to 16 operations), -pX (probability "
    "0 to 1), -mstdX (noise, 0 or more, inf or above 100: uniform), -mmaxN (clipped at 1 to 100), "
    "-inc1";

/// Errors: InvalidConfig, saying which section is wrong and what is allowed.
Result<RandAugmentSpec> randAugmentFromText(const std::string& text);

}  // namespace headlight
