// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Two maps side by side, of any two models: which token of one is which of the other, one scale for
// both, and how far apart they are. The same in the window and in `compare`. No torch type here.

#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/imaging/ColorMap.h"
#include "core/masks/Grid.h"
#include "core/workbench/session/MapRendering.h"

namespace headlight {

/// The token of `to` that stands where `token` of `from` does: prefix tokens by their order, a
/// patch by where its middle lies in the image. Where `to` lacks that prefix token: its middle
/// patch.
int correspondingToken(int token, const Grid& from, const Grid& to);

/// How two maps are drawn on the one scale that spans both.
DrawnMap drawnTogether(const std::vector<float>& left, const std::vector<float>& right,
                       bool isSigned, MapStyle style, ColorMap colors);

/// How far the right map is from the left one.
struct MapDifference {
  std::vector<float> values;  ///< right − left, [rows × cols]; NaN where one of them has no value
  ValueRange range;           ///< about zero
  float most = 0;             ///< the value furthest from zero
  int mostAt = 0;             ///< its patch
  double mean = 0;            ///< of absolute values
  double cosine = 0;          ///< of the two maps; NaN where one is all zero
};

/// Both are [rows × cols] of their grids. Error: InvalidArgument where the grids differ.
Result<MapDifference> mapDifference(const std::vector<float>& left, const Grid& leftGrid,
                                    const std::vector<float>& right, const Grid& rightGrid);

/// In diverging colors, zero in the middle.
DrawnMap drawnDifference(const MapDifference& difference);

/// "most −0.031 at patch (2, 3), mean 0.0042"; "no difference".
std::string describeDifference(const MapDifference& difference, const Grid& grid);
/// "cosine 0.981"; empty where one of the maps is all zero.
std::string describeCosine(const MapDifference& difference);
/// Both: "most −0.031 at patch (2, 3), mean 0.0042; cosine 0.981".
std::string differenceText(const MapDifference& difference, const Grid& grid);

}  // namespace headlight
