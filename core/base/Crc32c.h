// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CRC-32C (Castagnoli; RFC 3720, appendix B.4): the checksum of TensorBoard's records.

#include <cstdint>
#include <string_view>

namespace headlight {

std::uint32_t crc32cOf(std::string_view bytes);

}  // namespace headlight
