// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How variants that set a size themselves follow flags that make the whole sweep smaller. Internal.

#include "core/workbench/sweeps/Sweep.h"

namespace headlight {

/// For each path under the key "scale_with_base" of `sweep`, multiplies the whole numbers that
/// variants set there by how much `base` (with flags) differs from `written` (without): 1000 epochs
/// become 10 where the base's 400 became 4. Rounded, at least 1 unless the base's is 0. Throws Failure(InvalidConfig) for
/// paths that `written` does not set to a whole number above 0.
void scaleVariants(Json& sweep, const Json& written, const Json& base);

}  // namespace headlight
