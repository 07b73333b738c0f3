// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Crc32c.h"

#include <array>

namespace headlight {
namespace {

constexpr std::uint32_t kCastagnoli = 0x82f63b78;  // bits reversed

/// What each value of a byte makes of a remainder of 0.
constexpr std::array<std::uint32_t, 256> crcTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kCastagnoli : 0);
    table[byte] = remainder;
  }
  return table;
}

}  // namespace

std::uint32_t crc32cOf(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crcTable();
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes)
    crc = kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

}  // namespace headlight
