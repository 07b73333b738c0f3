// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the maps of one image span over all recorded steps: with it all steps are drawn on one
// scale, so that their brightness can be compared. No torch type here.

#include <map>
#include <optional>
#include <stop_token>
#include <tuple>

#include "core/workbench/runs/RecordedEvolution.h"
#include "core/workbench/session/MapRendering.h"

namespace headlight {

class EvolutionScales {
 public:
  /// Blocks: reads every recorded point. Empty where the points would take more than half a
  /// gigabyte at once. Errors: those of RecordedEvolution::frame(); Canceled.
  static Result<EvolutionScales> read(const RecordedEvolution& evolution, int image,
                                      const std::stop_token& stop = {});

  bool isEmpty() const { return m_heads.empty(); }
  /// Of what `query` (of EvolutionInfo::queries) looks at in a head, −1: the mean of the layer's
  /// heads. Null: it was not kept.
  const ValueSummary* find(int layer, int head, int query) const;
  /// Of all heads of all layers together.
  const ValueSummary* findAllHeads(int query) const;
  /// Null where none was kept.
  const ValueSummary* rollout() const { return m_rollout ? &*m_rollout : nullptr; }

 private:
  std::map<std::tuple<int, int, int>, ValueSummary> m_heads;
  std::map<int, ValueSummary> m_allHeads;
  std::optional<ValueSummary> m_rollout;
};

}  // namespace headlight
