#pragma once
// The text of every JSON that comes from a file: configs that a person may have written, sessions,
// metadata. Parsed in one way.

#include <string>
#include <string_view>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

inline constexpr std::size_t kMaxConfigText = 16u << 20;

/// Text of at most `maxBytes` and 2 million values, 10,000 keys an object, nested at most 64 levels
/// deep, as JSON. `name` is for messages. A key that is there twice is an error that names its
/// path: the second would silently replace the first. Errors: InvalidConfig.
Result<Json> parseConfigJson(std::string_view text, const std::string& name,
                             std::size_t maxBytes = kMaxConfigText);

}  // namespace headlight
