// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The `masks` section as JSON, of an Experiment or alone in a file of its own.

#include "core/config/Experiment.h"

namespace headlight {

Result<MaskConfig> maskConfigFromJson(const Json& json, const std::string& path);
Json maskConfigToJson(const MaskConfig& masks);

/// For a file: the masks section alone, or within another object. Errors name `where`.
Result<MaskConfig> maskConfigFromText(const std::string& text, const std::string& where);
/// For "sch2" or "sch2:5".
bool isMaskPreset(const std::string& name);

/// A scheme as the text of a file that masksFromNameOrFile reads.
std::string maskFileText(const MaskScheme& scheme);

}  // namespace headlight
