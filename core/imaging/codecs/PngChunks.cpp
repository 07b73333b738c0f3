// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/codecs/PngChunks.h"

#include "core/base/Crc32.h"
#include "core/imaging/codecs/Bytes.h"

namespace headlight {
namespace {

constexpr std::size_t kOverhead = 12;  // length, type, checksum: four bytes each

/// Type and data stand side by side in a file, so one range covers both.
std::uint32_t checksum(std::string_view typeAndData) {
  return crc32Of(typeAndData.data(), typeAndData.size());
}

void appendU32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift));
}

}  // namespace

bool PngChunk::intact() const {
  const std::string_view typeAndData(type.data(), type.size() + data.size());
  const Bytes stored({data.data() + data.size(), 4}, ByteOrder::Big);
  return stored.u32(0) == checksum(typeAndData);
}

std::optional<PngChunk> pngChunkAt(std::string_view bytes, std::size_t offset) {
  const Bytes reader(bytes, ByteOrder::Big);
  if (!reader.has(offset, kOverhead)) return std::nullopt;
  const std::uint32_t length = reader.u32(offset);
  if (length > 0x7fffffffu || !reader.has(offset, kOverhead + length)) return std::nullopt;
  return PngChunk{bytes.substr(offset + 4, 4), bytes.substr(offset + 8, length),
                  offset + kOverhead + length};
}

void appendPngChunk(std::string& out, std::string_view type, std::string_view data) {
  appendU32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  out.append(type).append(data);
  appendU32(out, checksum(std::string_view(out).substr(start)));
}

}  // namespace headlight
