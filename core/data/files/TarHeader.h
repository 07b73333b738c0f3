// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One block of 512 bytes before each entry of a tar archive. Private to data.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headlight {

inline constexpr std::uint64_t kTarBlock = 512;

struct TarHeader {
  std::string name;  ///< prefix and name
  std::uint64_t size = 0;
  char type = '0';
};

bool isZeroBlock(std::string_view block);

/// Nothing where the checksum or the size is wrong.
std::optional<TarHeader> parseTarHeader(std::string_view block);

/// What a PAX header ("25 path=some/long/name\n" …) changes of the entry after it.
struct PaxChanges {
  std::optional<std::string> name;
  std::optional<std::uint64_t> size;
  bool sparse = false;  ///< GNU's sparse files, of any version
};
/// Nothing where it is malformed.
std::optional<PaxChanges> parsePax(std::string_view text);

}  // namespace headlight
