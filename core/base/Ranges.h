// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whole numbers as people write them down.

#include <string>
#include <vector>

namespace headlight {

/// "0-3, 5, 8-9" of ascending numbers; "" of none.
std::string rangesText(const std::vector<int>& numbers);

}  // namespace headlight
