// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the config.json of Hugging Face's transformers says of the model beside it. No torch type
// here.

#include <filesystem>
#include <string>

#include "core/workbench/foreign/ForeignModel.h"

namespace headlight {

/// Whether a config.json is transformers'.
bool isTransformersConfig(const Json& config);

/// Keys that are missing have the defaults of the config's class. Beside it lies, as a rule,
/// preprocessor_config.json. Throws Failure: UnsupportedFile, naming the model, for one that is not
/// supported and for a value that has no counterpart here; InvalidConfig, naming the key, for
/// values of a wrong type or out of range.
ForeignModel readTransformersConfig(const Json& config, const std::filesystem::path& folder);

}  // namespace headlight
