// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CRC-32 as in ZIP and PNG (ISO 3309): finds damage, not intent.

#include <cstddef>
#include <cstdint>
#include <string>

namespace headlight {

/// Goes on from `before`; 0 begins.
std::uint32_t crc32Of(const void* bytes, std::size_t size, std::uint32_t before = 0);
/// Eight hexadecimal digits.
std::string crcText(std::uint32_t crc);

}  // namespace headlight
