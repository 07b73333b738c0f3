// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention maps, their analysis, and how a map is drawn: the same in the window, in figures and in
// what commands write.

#include <string>
#include <vector>

#include "core/analysis/AttentionMaps.h"
#include "core/analysis/HeadStatistics.h"
#include "core/analysis/Rollout.h"
#include "core/imaging/ColorMap.h"
#include "core/imaging/Headlight.h"
#include "core/masks/Grid.h"

namespace headlight {

/// Everything that token `query` (on the model's grid) looks at, in every layer and head that has
/// it: what one scale for all heads spans.
std::vector<float> seenInAllHeads(const AttentionMaps& maps, const Grid& model, int query);

/// In the headlight, all that outshines this share of the patches is fully lit: one patch that
/// draws most of the attention would leave all others dark.
inline constexpr double kLitShare = 0.98;
/// From this share of negative values on, a signed map is drawn in diverging colors.
inline constexpr double kNegativesMatter = 0.05;

/// A map whose values differ by at most this share of the largest of them is practically uniform: it
/// is drawn flat, on a scale from 0 to twice its middle, and called so.
inline constexpr double kUniformTolerance = 0.1;
/// False with fewer than two finite values.
bool isPracticallyUniform(const std::vector<float>& values);
/// "practically uniform (values within 10 %)".
std::string uniformText();

/// The style in which a map is drawn where `wanted` is: a learned map is of no image that could
/// be lit.
MapStyle styleOf(MapStyle wanted, bool learned);

/// How a map is drawn.
struct DrawnMap {
  MapStyle style = MapStyle::Headlight;
  ColorMap colorMap = ColorMap::Viridis;  ///< of an overlay, and of legends; Gray in the headlight
  ValueRange range;
  /// What must be said of it: "brightest from the 98th percentile on, most 0.12", "7 % negative".
  std::string note;
};

/// What decides how a map, or maps that share a scale, are drawn.
struct ValueSummary {
  ValueRange whole;  ///< of all values; [0, 1] where none is finite
  ValueRange most;   ///< rangeOfMost() of kLitShare
  double negative = 0;
  bool uniform = false;  ///< isPracticallyUniform()
  bool operator==(const ValueSummary&) const = default;
};
/// Without `lit`, `most` is `whole`: only the headlight needs it.
ValueSummary summarize(const std::vector<float>& values, bool lit = true);
DrawnMap drawnFrom(const ValueSummary& summary, bool isSigned, MapStyle style, ColorMap colors);
/// `shared`, for one of the maps that share it: its note says where this one is practically uniform.
DrawnMap drawnOn(DrawnMap shared, const std::vector<float>& values);

/// `values` (of one map, or of all that share a scale) in the style and colors that are wanted.
/// Where negative values matter it is an overlay in diverging colors, about 0.
DrawnMap drawnMap(const std::vector<float>& values, bool isSigned, MapStyle style, ColorMap colors);

/// Whether a map is blended between patches where that is `wanted`: beyond the edge of a window
/// there is nothing to blend with.
bool drawnSmooth(const LayerMaps& maps, bool wanted);

/// "class token", "distillation token", "patch (4, 7)" by row and column from 0.
std::string tokenText(int token, const Grid& grid);

}  // namespace headlight
