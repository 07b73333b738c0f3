// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How heads share the features of a decoder's layer.

#include <cstdint>

namespace headlight {

/// Throws Failure(InvalidConfig) at model.heads where there is no head, or where `heads` of one
/// width do not make `width`.
void requireHeadsDivide(std::int64_t heads, std::int64_t width);

}  // namespace headlight
