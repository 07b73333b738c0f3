// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A class for every pixel of an image.

#include <cstdint>
#include <vector>

namespace headlight {

/// The class of a pixel of which nothing is known: neither trained on nor measured.
inline constexpr std::uint8_t kIgnoredClass = 255;
/// So many classes can be told apart at most.
inline constexpr int kMaxPixelClasses = 255;

struct ClassImage {
  int width = 0, height = 0;          ///< in pixels; both 0: there is none
  std::vector<std::uint8_t> classes;  ///< [height, width], row-major; kIgnoredClass: unknown

  bool empty() const { return classes.empty(); }
};

}  // namespace headlight
