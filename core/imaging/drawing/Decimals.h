// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers in files that are text. Private to imaging.

#include <charconv>
#include <cmath>
#include <string>

namespace headlight {

/// With two decimals and a point, whatever the person's language has; 0 of what is no number.
inline std::string decimals(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, std::isfinite(value) ? value : 0.0,
                                 std::chars_format::fixed, 2);
  return {text, end.ptr};
}

}  // namespace headlight
