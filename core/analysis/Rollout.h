// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention over all layers: rollout, and how much layers resemble each other.

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/AttentionMaps.h"
#include "core/base/Result.h"

namespace headlight {

enum class HeadFusion { Mean, Max, Min };
/// "mean", "max", "min": in the order of the enum.
const std::vector<std::string>& headFusionNames();
const std::string& headFusionName(HeadFusion fusion);
/// Nothing: there is none of that name.
std::optional<HeadFusion> headFusionFromName(const std::string& name);

struct RolloutOptions {
  HeadFusion fusion = HeadFusion::Mean;
  /// Share of the lowest entries of each fused map that is dropped, in [0, 1); never the class
  /// column.
  double discardRatio = 0.0;
};
/// Abnar & Zuidema: identity added, rows normalized, multiplied from the first layer to the last.
/// Over the patches of the first layer, [rows × cols]: the class token's row, or the mean of patch
/// rows where there is no prefix token. Where patches are merged between layers, merging averages
/// the rows it joins. Each head's map is clamped at 0 and its rows made to sum to 1 first. Errors:
/// a layer's maps are missing, or its grid is finer than the one before.
Result<std::vector<float>> rollout(const AttentionMaps& maps, const RolloutOptions& options);

/// Weights over the tokens of a layer as weights over those of the layer before it, on the grid
/// `to`. Where patches were merged in between, a merged patch is the mean of those it joins. A
/// token that was not there yet (a class token that joins late) saw nothing: its weight ends here.
std::vector<double> carriedBack(const std::vector<double>& row, const Grid& from, const Grid& to);

/// One head's map [T, T] as rollout() takes it: clamped at 0, each row summing to 1. Softmax maps
/// are so already; the signed and unbounded ones of other mechanisms are made comparable so. A row
/// without anything positive stays 0: its token then keeps to itself.
std::vector<float> stochasticMap(const LayerMaps& maps, int head);

/// For captions: "heads fused by mean", and what of the lowest entries is dropped, if any.
std::string rolloutWords(const RolloutOptions& options);

/// What rollout() first does to maps of this kind, for captions: "rows of each map normalized";
/// empty where they are stochastic as they are.
std::string rolloutPreparation(bool isSigned, bool rowsSumToOne);

/// Eq. 4 (denominator mended): [L × L], the cosine of row t of layer i's and of layer j's map of
/// one head, averaged over tokens. Layers with fewer heads than `head` + 1 give 0; layers on
/// different grids cannot be compared and give NaN.
Result<std::vector<float>> layerSimilarity(const AttentionMaps& maps, int head);
/// The same for one head, or averaged over the heads that both layers have (−1).
Result<std::vector<float>> computeSimilarity(const AttentionMaps& maps, int head);
/// All at once: the mean over heads, then each head of the layer that has most.
Result<std::vector<std::vector<float>>> similarities(const AttentionMaps& maps);

}  // namespace headlight
