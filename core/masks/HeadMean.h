// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One number of all heads.

#include <vector>

namespace headlight {

/// The mean over heads of a table [layer][head], without those that are not finite (a head that was
/// not measured, one whose mask is not soft); NaN where none is left.
double meanOverHeads(const std::vector<std::vector<float>>& layers);

}  // namespace headlight
