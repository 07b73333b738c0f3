// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which query learns which true mask of an image (DETR, Carion et al. 2020; with the costs of
// Mask2Former, Cheng et al. 2022).

#include "core/training/segmentation/TrueMasks.h"

namespace headlight {

// Weights of a segmenter's losses and of the costs of its matching.
inline constexpr double kClassWeight = 2, kMaskWeight = 5, kDiceWeight = 5;

/// What one prediction says of one image.
struct MaskLogits {
  at::Tensor classes;  ///< [Q, K + 1]; the last is "none"
  at::Tensor masks;    ///< [Q, h, w]
};

/// [Q, M], without gradients: 2 · (−p of the mask's class) + 5 · BCE + 5 · dice, both between the
/// query's mask and the true one at `points` [P, 2] (MaskPoints.h); BCE is the mean over the points,
/// dice 1 − (2 Σ σ t + 1) / (Σ σ + Σ t + 1).
at::Tensor matchingCosts(const MaskLogits& said, const TrueMasks& truth, const at::Tensor& points);

/// For each true mask its query, no query twice, so that the sum of the costs is the least; -1: more
/// masks than queries, and it has none.
std::vector<std::int64_t> matchedQueries(const at::Tensor& costs);

}  // namespace headlight
