// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lines around chosen patches of a grid, along the edges of patches. No pixels here.

#include <cstdint>
#include <vector>

namespace headlight {

/// A straight line between two corners of patches, from the upper or left one to the other: row 0,
/// column 0 is the upper left corner of the grid.
struct PatchEdge {
  int row = 0, col = 0;          ///< where it begins
  int lastRow = 0, lastCol = 0;  ///< where it ends
  bool operator==(const PatchEdge&) const = default;
};

/// The border of the patches that are `inside` ([rows × cols], not 0: inside), each straight part
/// one line; also along the edge of the grid. Empty where no patch is inside, or of another size.
std::vector<PatchEdge> patchOutline(const std::vector<std::uint8_t>& inside, int rows, int cols);

}  // namespace headlight
