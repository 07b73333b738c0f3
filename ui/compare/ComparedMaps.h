// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The maps of two documents side by side, their legends, and their difference.

#include <optional>

#include "core/workbench/session/PredictionComparison.h"
#include "ui/canvas/ImagePainting.h"
#include "ui/document/Document.h"

namespace headlight {

/// The chosen map of `side`, on one scale with the other side's if both have one.
std::optional<MapOverlay> comparedMap(const Document& side, const Document& other);
/// The legend below it. `shared`: the other side has a map too.
Legend comparedLegend(const Document& side, const std::optional<MapOverlay>& map, bool shared);

/// right − left. An error if their grids differ.
Result<MapDifference> subtractMaps(const MapOverlay& left, const MapOverlay& right);
MapOverlay differenceMap(const MapDifference& difference, const MapOverlay& like);
Legend differenceLegend(const MapDifference& difference, const Grid& grid);

/// "demo.safetensors · scheme “sch2” · striped-disc.png".
QString describeSide(const Document& side);

}  // namespace headlight
