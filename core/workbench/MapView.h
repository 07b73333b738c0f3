#pragma once
// Attention maps, their analysis, and how a map is drawn: the same in the window, in figures and in
// what commands write.

#include <string>

#include "core/analysis/AttentionMaps.h"
#include "core/analysis/Rollout.h"
#include "core/imaging/ColorMap.h"
#include "core/masks/Grid.h"

namespace headlight {

/// Of what token `query` (on the model's grid) looks at, in every layer and head that has it: the
/// least and the largest finite value, about 0 where maps are signed. What one colour scale for all
/// heads spans.
ValueRange sharedRange(const AttentionMaps& maps, const Grid& model, int query);

/// Whether a map is blended between patches where that is `wanted`: beyond the edge of a window
/// there is nothing to blend with.
bool drawnSmooth(const LayerMaps& maps, bool wanted);

/// Diverging colours for signed maps, else the chosen ones.
ColorMap drawnColors(bool isSigned, ColorMap chosen);

/// "class token", "distillation token", "patch (4, 7)" by row and column from 0.
std::string tokenText(int token, const Grid& grid);

}  // namespace headlight
