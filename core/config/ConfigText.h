#pragma once
// The text of every JSON that comes from a file: configs that a person may have written, sessions,
// metadata. Parsed in one way.

#include <string>
#include <string_view>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

inline constexpr std::size_t kMaxConfigText = 16u << 20;
inline constexpr std::size_t kMaxConfigKeys = 10'000;

/// Text of at most `maxBytes` and 2 million values, `maxKeys` keys an object (each is looked for
/// among those before it), nested at most 64 levels deep, as JSON. `name` is for messages. A key
/// that is there twice is an error that names its path: the second would silently replace the
/// first. Errors: InvalidConfig.
Result<Json> parseConfigJson(std::string_view text, const std::string& name,
                             std::size_t maxBytes = kMaxConfigText,
                             std::size_t maxKeys = kMaxConfigKeys);

}  // namespace headlight
