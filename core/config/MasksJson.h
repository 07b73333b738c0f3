#pragma once
// The `masks` section as JSON. Used by the Experiment's reader and writer only.

#include "core/config/Experiment.h"

namespace headlight {

Result<MaskConfig> maskConfigFromJson(const Json& json, const std::string& path);
Json maskConfigToJson(const MaskConfig& masks);

}  // namespace headlight
