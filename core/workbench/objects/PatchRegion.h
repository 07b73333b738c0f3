// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The patches of an image that are taken for an object, and the box around them. No torch type here.

#include <vector>

namespace headlight {

/// One row of features for each patch of an image.
struct PatchFeatures {
  int rows = 0, cols = 0, width = 0;
  std::vector<double> values;  ///< [rows · cols × width], row-major

  int patches() const { return rows * cols; }
};

/// Patches from top and left to before bottom and right.
struct PatchBox {
  int top = 0, left = 0, bottom = 0, right = 0;
  bool operator==(const PatchBox&) const = default;
};

struct PatchRegion {
  std::vector<char> mask;       ///< [rows · cols]: 1 where the method says object
  std::vector<char> component;  ///< [rows · cols]: the part of it that is connected with the seed
  std::vector<double> scores;   ///< [rows · cols]: what the mask was decided by
  int seed = 0;                 ///< the patch that the object is found by
  PatchBox box;                 ///< around the component
};

/// The patches of `mask` that are connected with `seed` by their sides, [rows · cols]; none where the
/// seed is not of the mask.
std::vector<char> connectedPatches(const std::vector<char>& mask, int rows, int cols, int seed);

/// Around the patches that are set; one there must be.
PatchBox boxAround(const std::vector<char>& patches, int cols);

/// With component and box; `seed` is a patch of the mask.
PatchRegion regionAround(int seed, std::vector<char> mask, std::vector<double> scores, int rows,
                         int cols);

/// Throws Failure: InvalidArgument for fewer than two patches or more than kMostComparedPatches,
/// Internal for features that are not numbers.
void requireComparable(const PatchFeatures& features);
/// N patches need N² numbers, and their eigenvectors the time of N³.
inline constexpr int kMostComparedPatches = 4096;

}  // namespace headlight
