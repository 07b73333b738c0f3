// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Maps as tiles among all heads. Pure functions, as those of ViewedMap.h.

#include <optional>

#include "ui/canvas/ViewedMap.h"

namespace headlight {

/// viewedMap as a tile among all heads: of a layer with windows, the query's window alone.
std::optional<MapOverlay> tileMap(const AttentionMaps& maps, const Grid& model,
                                  const ViewOptions& view, int layer, int head,
                                  const DrawnMap* shared);
/// The cells of such a tile, and which of them asks; negative: none of them, a prefix token.
struct TileCells {
  int rows = 0, cols = 0, queryPatch = -1;
};
TileCells tileCells(const AttentionMaps& maps, const Grid& model, int query, int layer);

}  // namespace headlight
