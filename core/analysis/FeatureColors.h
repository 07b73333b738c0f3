// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Colors of features: their first three principal components, scaled to red, green and blue
// (Oquab et al. 2023, DINOv2, Fig. 1), and where the first of them says foreground.

#include <array>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

/// `scores` [patches × count] (at most three are read) as colors [patches × 3] in [0, 1]: each
/// component from its least to its greatest value over all patches; one that is missing is 0, one
/// that is everywhere the same ½. Patches that are not in `shown` (empty: all are) get NaN, and
/// have no scores.
std::vector<float> colorsOfScores(const std::vector<double>& scores, int count,
                                  const std::vector<char>& shown);

/// Which patches of images on `grids` (one after the other) the first component counts as
/// foreground: those on its one side of the mean, as DINOv2 has it. A component has no sign of its
/// own: the side with fewer of the patches along the images' edges, in shares, is the foreground.
std::vector<char> splitForeground(const std::vector<double>& scores, int count,
                                  const std::vector<Grid>& grids);

}  // namespace headlight
