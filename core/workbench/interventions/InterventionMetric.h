// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The number that is watched while parts of a model are replaced. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/workbench/interventions/InterventionOptions.h"
#include "core/workbench/loading/ModelInfo.h"

namespace headlight {

struct InterventionMetric {
  std::string kind = "logit";  ///< InterventionOptions::metric
  int classIndex = 0;
  int against = -1;  ///< of a difference
  bool sigmoid = false;

  /// [B] of logits [B, classes], in double precision on the host.
  std::vector<double> of(const at::Tensor& logits) const;
};

/// `classIndex` −1: the best of `logits`; `against` −1: the best of `other`, or the second best of
/// `logits` where that is the same or undefined. Both [1, classes]. Throws Failure for classes that
/// there are not, or twice the same.
InterventionMetric chooseMetric(const ModelInfo& info, const std::string& kind, int classIndex,
                                int against, const at::Tensor& logits, const at::Tensor& other);

/// "logit of cat", "logit of cat minus logit of dog", "probability of cat".
std::string metricTitle(const InterventionMetric& metric, const ModelInfo& info);

}  // namespace headlight
