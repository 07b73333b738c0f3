// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The best classes of an inference result, and what became of them since another one: the same lines in
// the window and in commands.

#include <string>
#include <vector>

#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// Whether class i of one model is class i of the other.
bool sameClasses(const ModelInfo& a, const ModelInfo& b);

/// One class in two results. Ranks count from 1.
struct PredictionRow {
  std::string name;
  int rank = 0;
  double probability = 0;
  int rankBefore = 0;  ///< 0: there is nothing to compare with
  double probabilityBefore = 0;
  int index = -1;  ///< of the class
};
/// The best classes of `after`; where there is a `before` of as many classes, its best class is
/// added if it fell out.
std::vector<PredictionRow> predictionRows(const InferenceResult& after,
                                          const InferenceResult* before, int rows = 5);

}  // namespace headlight
