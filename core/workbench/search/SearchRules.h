// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which heads a search masks, from their numbers: MaiT's quick empirical search (§4.3) and its
// alternatives. No model and no torch type here.

#include <string>
#include <vector>

#include "core/masks/HeadPlace.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/search/SearchOptions.h"

namespace headlight {

/// What was decided of a head or a layer, and why.
struct SearchDecision {
  std::string round;  ///< "assign", "calibrate", "greedy"
  int layer = 0;
  int head = -1;       ///< -1: all of the layer
  double value = 0;    ///< that decided: an ALS or an importance; NaN: there is none
  std::string action;  ///< "mask", "keep", "unmask"
  std::string reason;  ///< "ALS 0.712 of head 0 is above 0.65"
};

struct SearchStep {
  MaskScheme scheme;
  std::vector<SearchDecision> decisions;
};

/// Head 0 of every layer that can be masked.
MaskScheme initialScheme(const MaskShape& shape, const HeadMask& mask);

/// By the ALS of head 0, als[layer][head] as it was measured under `scheme`: all heads masked,
/// as before, or none. A layer whose ALS is NaN (its maps lie on no grid) stays as it is.
SearchStep assignedScheme(const MaskScheme& scheme, const std::vector<std::vector<double>>& als,
                          const SearchOptions& options);

/// Masked heads whose ALS is below calibrate_below lose their mask.
SearchStep calibratedScheme(const MaskScheme& scheme, const std::vector<std::vector<double>>& als,
                            const SearchOptions& options);

/// Heads without a mask whose importance is a number, the least important first; equal ones by
/// layer and head.
std::vector<HeadPlace> leastImportantFirst(const MaskScheme& scheme,
                                           const std::vector<std::vector<double>>& importance);

/// The masks of `scheme` dealt out anew among all heads of layers of one `cost` (of masking a head
/// there: a number for each layer), so that the whole costs as much. A function of the seed.
MaskScheme dealtAmongEqual(const MaskScheme& scheme, const std::vector<std::int64_t>& cost,
                           std::uint64_t seed);

}  // namespace headlight
