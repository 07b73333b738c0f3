// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What soft masks have learned: the α = σ(soft_mask_logit) of every head. No torch type here.

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

/// [layer][head]; NaN where the head's mask is not soft.
using SoftAlphas = std::vector<std::vector<float>>;

/// For a checkpoint's weights, under the masks that it was saved with. Errors: as opening it.
Result<SoftAlphas> readSoftAlphas(const std::filesystem::path& checkpoint);

/// "layer 2: head 0 0.523, head 3 0.611": a line for each layer that has soft heads.
std::vector<std::string> softAlphaLines(const SoftAlphas& alphas);

}  // namespace headlight
