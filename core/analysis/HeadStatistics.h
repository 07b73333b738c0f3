// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How far a head looks and how much it spreads, read off its map, and what a head that looks
// everywhere alike would have. Maps that are no distribution are prepared as for rollout
// (rolloutPreparation says how). localityScores() in AttentionMaps.h is the third of them.

#include <vector>

#include "core/analysis/AttentionMaps.h"

namespace headlight {

/// Pixels of the model's input from one patch of a layer to the next.
struct PatchPitch {
  double rows = 16, cols = 16;
};

/// For every layer, from the grids of all of them: a stage whose grid is half as fine (rounded up)
/// has twice the pitch.
std::vector<PatchPitch> patchPitches(const std::vector<Grid>& layers, int inputHeight,
                                     int inputWidth);

/// For every head: the mean over query rows of −Σ_j A_ij ln A_ij / ln T, in [0, 1]. A row of
/// nothing counts 0.
std::vector<float> attentionEntropies(const LayerMaps& maps);

/// For every head: the mean over query patches of Σ_j A_ij·‖p(i) − p(j)‖₂ over patch columns, whose
/// weights are made to sum to 1, in pixels (Dosovitskiy et al. 2021, Fig. 7). Queries that look at
/// no patch are left out; NaN where there is no other.
std::vector<float> attentionDistances(const LayerMaps& maps, const PatchPitch& pitch);

/// For every head: the largest share of the patches' attention that one token receives, the mean of
/// |A_ij| / Σ_k |A_ik| over query patches i. A row of nothing counts 0; NaN without patches.
std::vector<float> attentionSinks(const LayerMaps& maps);

/// The measures of uniform attention: 1/T to every token of the grid.
double uniformLocality(const Grid& grid);
double uniformEntropy(const Grid& grid);
double uniformSink(const Grid& grid);
double uniformDistance(const Grid& grid, const PatchPitch& pitch);

}  // namespace headlight
