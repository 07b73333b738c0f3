// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// TokenCut (Wang et al. 2022, "Self-Supervised Transformers for Unsupervised Object Discovery using
// Normalized Cut", §3): the graph of patches falls into two groups where fewest edges are cut. No
// torch type here.

#include "core/workbench/objects/PatchRegion.h"

namespace headlight {

/// Edges E are 1 where the cosine of two patches' features is greater than `threshold`, else
/// `epsilon`. y is the eigenvector of the second smallest λ of (D − E) y = λ D y, computed as
/// D^−½ z with z that of D^−½ (D − E) D^−½; its sign makes the entry of largest magnitude, the seed
/// (of equals the first), positive. The object is where y is greater than its mean; y are the
/// scores. Throws Failure: as requireComparable(), NotFound where all edges are equal, so that no
/// cut is better than another.
PatchRegion normalizedCutRegion(const PatchFeatures& features, double threshold, double epsilon);

}  // namespace headlight
