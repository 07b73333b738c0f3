// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An image of a training run as its folder recorded it at one step: shown in place of the newest
// result. The maps are of 8 bits, and of the rows that were kept.

#include <QString>

#include <memory>
#include <vector>

#include "core/masks/Grid.h"
#include "core/workbench/runs/EvolutionScales.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct RecordedView {
  std::shared_ptr<const InferenceResult>
      inference;                       ///< maps hold NaN in rows that were not kept; no logits
  std::shared_ptr<const Image> image;  ///< what the model saw; one object for all steps
  QString imageName, label;            ///< its file; its class
  QString source;                      ///< for captions: "run a · recorded · step 120"
  std::vector<int> queries;            ///< tokens of the model whose rows were kept
  bool whole = false;                  ///< the rows of all tokens were
  Grid rolloutGrid;
  std::shared_ptr<const EvolutionScales> scales;  ///< of this image over all steps; null: unknown
  std::vector<float> rollout;  ///< by the mean of heads, nothing dropped; empty: none was kept
};

/// The kept token that is `token`, or lies nearest to it on the grid; itself where none was kept.
int nearestKeptToken(const std::vector<int>& queries, int token, const Grid& grid);

}  // namespace headlight
