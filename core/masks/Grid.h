// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tokens of one image: `prefix` tokens (class, distillation, registers) first, then rows × cols
// patches, row-major.

#include <cstdint>

namespace headlight {

struct Grid {
  int rows = 14;
  int cols = 14;
  int prefix = 1;     ///< 0 to 66
  int registers = 0;  ///< the last of the prefix: tokens that no head reads

  bool hasClassToken() const { return prefix > registers; }
  int patches() const { return rows * cols; }
  int tokens() const { return prefix + patches(); }
  /// The token of the middle patch.
  int middleToken() const { return prefix + rows / 2 * cols + cols / 2; }
  /// What is left of every `stride`-th row and column, the first included: sides are rounded up.
  Grid strided(int stride) const {
    return {(rows + stride - 1) / stride, (cols + stride - 1) / stride, prefix, registers};
  }
  bool operator==(const Grid&) const = default;
};

}  // namespace headlight
