// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A point of a run's recording (RecordedEvolution.h) in the shape of an inference result, for
// everything that shows looks. No torch type here.

#include "core/workbench/runs/RecordedEvolution.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct RecordedInference {
  /// As it was predicted and seen; without logits. In rows that were not kept the maps hold NaN.
  /// Masks are for the caller to fill in (masksAtStep).
  InferenceResult inference;
  std::int64_t step = 0;
  std::vector<int> queries;  ///< tokens of EvolutionInfo::grid whose rows were kept
  bool whole = false;        ///< of every layer all rows were kept
  Grid rolloutGrid;
  std::vector<float> rollout;  ///< EvolutionFrame::rollout()
};

/// Errors: those of RecordedEvolution::frame() and learned(), InvalidArgument where there is no
/// such image.
Result<RecordedInference> recordedInference(RecordedEvolution& evolution, std::size_t moment,
                                            int image);

/// Whether a recording is of a model with these layers, heads and tokens.
bool isRecordedFrom(const EvolutionInfo& recording, const ModelInfo& model);

}  // namespace headlight
