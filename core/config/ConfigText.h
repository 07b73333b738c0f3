// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The text of every JSON that comes from a file, a person or another process: configs, sessions,
// metadata, labels, lines of runs, results. Parsed in one way, within limits; tests/layers checks
// that no other parser is called.

#include <string>
#include <string_view>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

inline constexpr std::size_t kMaxConfigText = 16u << 20;
inline constexpr std::size_t kMaxConfigKeys = 10'000;
/// Nothing that this program reads is nested as deep; values are copied and written by functions
/// that call themselves once a level.
inline constexpr std::size_t kMaxJsonDepth = 64;

/// What of JSON is read. Everything nested deeper than kMaxJsonDepth is refused besides.
struct JsonLimits {
  std::size_t bytes = 256u << 20;
  std::size_t keys = 1'000'000;    ///< of one object
  std::size_t values = 4'000'000;  ///< in all
};

/// Text of at most `maxBytes` and 2 million values, `maxKeys` keys an object, nested at most 64
/// levels deep, as JSON. `name` is for messages. A key that is there twice is an error that names
/// its path: the second would silently replace the first. Errors: InvalidConfig.
Result<Json> parseConfigJson(std::string_view text, const std::string& name,
                             std::size_t maxBytes = kMaxConfigText,
                             std::size_t maxKeys = kMaxConfigKeys);

/// For text that may as well be no JSON, which then comes back discarded (Json::is_discarded()), as
/// does what goes beyond the limits or has a key twice.
Json jsonOrDiscarded(std::string_view text, const JsonLimits& limits = {});

/// The parser's events: for who builds something else of them than a value, and looks after keys
/// that are there twice.
using JsonEvents = nlohmann::json_sax<Json>;
/// Tells `events` what stands in `text`. Throws Failure(InvalidConfig) beyond the limits, and what
/// `events` throws, parse_error() among it.
void followJson(std::string_view text, const std::string& name, const JsonLimits& limits,
                JsonEvents& events);

}  // namespace headlight
