// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The order in which timm lists class folders (its natural_key): digits compare as numbers, letters
// without case. "9" comes before "10". torchvision sorts by bytes instead, which is why class names
// travel with weights.

#include <string_view>

namespace headlight {

/// Strict weak order; names that only differ in case or leading zeros fall back to bytes. Letters
/// outside ASCII keep their case.
bool naturalLess(std::string_view a, std::string_view b);

}  // namespace headlight
