// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// DINO's masks (Caron et al. 2021, "Emerging Properties in Self-Supervised Vision Transformers",
// Fig. 1 and 4): of each head, the patches that get most of the attention, until they have a share
// of it together. No torch type here.

#include <vector>

#include "core/workbench/objects/PatchRegion.h"

namespace headlight {

/// The largest of `weights` until their sum reaches `mass` of the sum of all, 1 each; of equals the
/// first. Weights of 0 and below are never kept. As DINO's visualize_attention.py: what comes after
/// 1 − mass when the weights are added up in rising order.
std::vector<char> keptMass(const std::vector<double>& weights, double mass);

/// The masks of all heads joined: a patch that one keeps is kept. Scores are the share of heads that
/// keep a patch; the seed is the kept patch with the greatest mean attention. `heads`: of each the
/// attention of the patches [rows · cols]. Throws Failure: Internal for weights that are not numbers,
/// NotFound where no head attends to a patch.
PatchRegion joinedMass(const std::vector<std::vector<double>>& heads, double mass, int rows,
                       int cols);

}  // namespace headlight
