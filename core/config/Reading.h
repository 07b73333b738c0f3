// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the readers of this folder share. Internal to core/config.

#include <string>

#include "core/base/Translation.h"
#include "core/config/Parameter.h"

namespace headlight {

inline Error invalidConfig(const std::string& message, const std::string& path) {
  return {ErrorCode::InvalidConfig, message, path};
}

/// The value of a key; an empty object where it is left out.
inline const Json& findSection(const Json& json, const char* key) {
  static const Json empty = Json::object();
  return json.contains(key) ? json[key] : empty;
}

/// That "schema" is a version that this program reads, from 1 to `newest`; written by hand it may
/// be left out: the newest.
inline Result<void> checkSchema(const Json& json, int newest) {
  if (!json.contains("schema")) return {};
  const Json& schema = json["schema"];
  if (!schema.is_number_integer() || schema < 1)
    return invalidConfig(tr("must be a whole number, at least 1"), "schema");
  if (schema > newest)
    return invalidConfig(tr("is ") + schema.dump() + tr(", newer than this program supports (") +
                             std::to_string(newest) + tr("); update Headlight"),
                         "schema");
  return {};
}

/// What every run has, of whatever kind.
template <typename E>
ParameterTable runTable() {
  return TableBuilder<E>()
      .text(&E::name, "name", "A name for the run.")
      .integer(&E::seed, "seed", 0, 9007199254740991.0, "Seed of all random numbers.")
      .text(&E::device, "device", "auto (CUDA if available), cpu, cuda or cuda:N.")
      .integer(&E::threads, "threads", 0, 1024,
               "CPU threads, at most 8 per core; 0: as many as cores.")
      .build();
}

}  // namespace headlight
