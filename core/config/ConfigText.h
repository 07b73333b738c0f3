#pragma once
// The text of every config that a person may have written: parsed once, the same way.

#include <string>
#include <string_view>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

/// Text of at most 16 MB, nested at most 64 levels deep, as JSON. `name` is for messages. Errors:
/// InvalidConfig.
Result<Json> parseConfigJson(std::string_view text, const std::string& name);

}  // namespace headlight
