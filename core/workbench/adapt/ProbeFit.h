// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A linear probe: logistic regression on normalized features, with the penalty that does best on
// images that it was not fitted to. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/workbench/adapt/TriedStrength.h"

namespace headlight {

struct ProbeRequest {
  at::Tensor features;      ///< [N, D]
  std::vector<int> labels;  ///< [N], below `classes`
  std::int64_t classes = 2;
  std::vector<double> strengths;
  double selection = 0.2;  ///< share of every class that chooses among them
  std::uint64_t seed = 0;  ///< of which images these are
};

struct ProbeFit {
  at::Tensor weight, bias;           ///< [C, D], [C], double: of the features as they are
  at::Tensor mean, variance;         ///< [D]
  double l2 = 0;                     ///< chosen
  std::vector<TriedStrength> tried;  ///< empty where there was nothing to choose
  int iterations = 0;
  bool converged = false;
};

/// Chooses by accuracy, then loss, then the greater penalty, on a share of every class that has two
/// images or more, and fits all images with it. Where no class has, the middle penalty is taken.
/// Throws Failure(Canceled).
ProbeFit fitProbe(const ProbeRequest& request, const std::stop_token& stop = {});

}  // namespace headlight
