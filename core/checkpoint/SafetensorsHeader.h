// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The JSON header of a safetensors file, checked as the format's specification asks. Internal.

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// The specification's limit. Its own: nothing larger is even read.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

struct SafetensorsEntry {
  std::string name;
  c10::ScalarType dtype = c10::ScalarType::Float;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  ///< in bytes, from the end of the header
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  ///< in the order of the header
  std::map<std::string, std::string> metadata;
};

/// `json`: the header's text. `dataBytes`: how many bytes follow it in the file; the entries are
/// checked to cover them exactly. Throws Failure.
SafetensorsHeader parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes,
                                         const std::string& where);

/// "F32" for Float …; nothing for types the format does not have.
std::optional<std::string> safetensorsDtypeName(c10::ScalarType type);

}  // namespace headlight
