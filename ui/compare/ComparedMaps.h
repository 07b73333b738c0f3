// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The maps of two documents side by side, what is said of them, and their difference.

#include <optional>

#include "core/workbench/session/PredictionComparison.h"
#include "ui/canvas/ImagePainting.h"
#include "ui/document/Document.h"

namespace headlight {

/// The chosen map of `side`, on one scale with the other's where both have one.
std::optional<MapOverlay> comparedMap(const Document& side, const Document& other);
/// Below it. `shared`: whether the other has a map too.
Legend comparedLegend(const Document& side, const std::optional<MapOverlay>& map, bool shared);

/// right − left. An error where their grids differ.
Result<MapDifference> differenceOf(const MapOverlay& left, const MapOverlay& right);
MapOverlay differenceMap(const MapDifference& difference, const MapOverlay& like);
Legend differenceLegend(const MapDifference& difference, const Grid& grid);

/// "demo.safetensors · scheme “sch2” · striped-disc.png".
QString describeSide(const Document& side);

}  // namespace headlight
