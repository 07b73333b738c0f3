// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Drawing and captions of a rollout. Pure functions, as in ViewedMap.h.

#include <optional>
#include <vector>

#include "ui/canvas/ViewedMap.h"
#include "ui/document/RecordedView.h"

namespace headlight {

/// "rollout · mean of heads · lowest 30 % dropped".
QString describeRollout(const RolloutOptions& options);
MapOverlay rolloutMap(const Grid& grid, const std::vector<float>& values, const ViewOptions& view,
                      const RecordedView* recorded = nullptr);
Legend rolloutLegend(const Document& document, const RolloutOptions& options,
                     const std::optional<MapOverlay>& map);
/// Whether all recorded steps of the rollout share one scale.
bool rolloutSharesSteps(const RecordedView* recorded, const ViewOptions& view);
void setRolloutRange(Legend& legend, const MapOverlay& map, const ModelInfo& model,
                     bool overSteps = false);
/// The row of the rollout that is shown: "class token", or "mean of patches" where there is none.
QString rolloutQuery(const Grid& grid);

}  // namespace headlight
