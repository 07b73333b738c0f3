// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From what mechanisms say of pairs of tokens to plain arrays. Torch types: core only.

#include <vector>

#include "core/analysis/AttentionMaps.h"
#include "core/models/backbones/Model.h"

namespace headlight {

/// What the mechanism of every layer offers beside its maps (Attention::learnedPairs), by name.
std::vector<LearnedMap> findLearnedMaps(Model& model);

}  // namespace headlight
