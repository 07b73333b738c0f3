// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a rollout is drawn and described as. Pure functions, as those of ViewedMap.h.

#include <optional>
#include <vector>

#include "ui/canvas/ViewedMap.h"

namespace headlight {

/// "rollout · mean of heads · lowest 30 % dropped".
QString describeRollout(const RolloutOptions& options);
MapOverlay rolloutMap(const Grid& grid, const std::vector<float>& values, const ViewOptions& view);
Legend rolloutLegend(const Document& document, const RolloutOptions& options,
                     const std::optional<MapOverlay>& map);
void setRolloutRange(Legend& legend, const MapOverlay& map, const ModelInfo& model);
/// Whose row of the rollout is shown: "class token", or "mean of patches" where there is none.
QString rolloutQuery(const Grid& grid);

}  // namespace headlight
