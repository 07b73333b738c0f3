// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Weights that come with what names a model: what a training of such a model starts from. No torch
// type here.

#include <string>

namespace headlight {

/// The weights of what `model` names: a folder of the hub, the config.json in one, a checkpoint.
/// Empty for a published name, a config, and what is not there.
std::string weightsOfNamedModel(const std::string& model);

}  // namespace headlight
