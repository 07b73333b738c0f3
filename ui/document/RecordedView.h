// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A picture of a training run as its folder recorded it at one step: shown in place of the newest
// look. The maps are of 8 bits, and of the rows that were kept.

#include <QString>

#include <memory>
#include <vector>

#include "core/masks/Grid.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct RecordedView {
  std::shared_ptr<const InferenceResult>
      look;                            ///< maps hold NaN in rows that were not kept; no logits
  std::shared_ptr<const Image> image;  ///< what the model saw; one object for all steps
  QString imageName, label;            ///< its file; its class
  QString source;                      ///< for captions: "recorded by “a” at step 120"
  std::vector<int> queries;            ///< tokens of the model whose rows were kept
  bool whole = false;                  ///< the rows of all tokens were
  Grid rolloutGrid;
  std::vector<float> rollout;  ///< by the mean of heads, nothing dropped; empty: none was kept
};

/// The kept token that is `token`, or lies nearest to it on the grid; itself where none was kept.
int nearestKeptToken(const std::vector<int>& queries, int token, const Grid& grid);

}  // namespace headlight
