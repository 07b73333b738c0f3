#pragma once
// The tokens of one image: `prefix` tokens (class, distillation) first, then rows × cols patches,
// row-major.

#include <cstdint>

namespace headlight {

struct Grid {
  int rows = 14;
  int cols = 14;
  int prefix = 1;  ///< 0 to 2

  int patches() const { return rows * cols; }
  int tokens() const { return prefix + patches(); }
  bool operator==(const Grid&) const = default;
};

}  // namespace headlight
