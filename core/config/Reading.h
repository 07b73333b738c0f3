#pragma once
// What the readers of this folder share. Internal to core/config.

#include <string>

#include "core/config/Parameter.h"

namespace headlight {

inline Error invalidConfig(const std::string& message, const std::string& path) {
  return {ErrorCode::InvalidConfig, message, path};
}

/// The value of a key; an empty object where it is left out.
inline const Json& sectionOf(const Json& json, const char* key) {
  static const Json empty = Json::object();
  return json.contains(key) ? json[key] : empty;
}

}  // namespace headlight
