// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Crc32.h"

#include <zlib.h>

#include <cstdio>

namespace headlight {

std::uint32_t crc32Of(const void* bytes, std::size_t size, std::uint32_t before) {
  if (size == 0) return before;  // zlib takes a null pointer for a new beginning
  return static_cast<std::uint32_t>(crc32_z(before, static_cast<const Bytef*>(bytes), size));
}

std::string crcText(std::uint32_t crc) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(crc));
  return text;
}

}  // namespace headlight
