// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What there is to say about models whose numbers follow a rule that new models do not have
// (core/config/Migration.h has those rules).

#include <string>
#include <vector>

#include "core/config/ModelConfig.h"

namespace headlight {

/// A sentence a rule that this model keeps, where it changes a number. Throws Failure as modelCost
/// does.
std::vector<std::string> listOlderRules(const ModelConfig& model);

/// The same where weights made by `weights` are opened as `model`, which follows another rule than
/// they were made with.
std::vector<std::string> listOtherRules(const ModelConfig& model, const ModelConfig& weights);

}  // namespace headlight
