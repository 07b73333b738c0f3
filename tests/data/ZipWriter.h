// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// ZIP archives for tests, made by hand so that they can be wrong in any way.

#include <zlib.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headlight::test {

inline std::string littleEndian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8)
    text += static_cast<char>(value & 0xff);
  return text;
}

inline std::string deflated(const std::string& bytes) {
  std::string packed(bytes.size() + 1024, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// What a table may lie about.
struct ZipLies {
  std::uint64_t addedSize = 0;  ///< to every unpacked size
  int flags = 0;
  int method = -1;
  std::uint32_t crcChange = 0;
};

inline std::string zipArchive(const std::vector<std::pair<std::string, std::string>>& files,
                              bool deflate = true, const ZipLies& lies = {}) {
  std::string archive, table;
  for (const auto& [name, bytes] : files) {
    const std::string packed = deflate ? deflated(bytes) : bytes;
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
    const std::string about =
        littleEndian(20, 2) + littleEndian(static_cast<std::uint64_t>(lies.flags), 2) +
        littleEndian(static_cast<std::uint64_t>(lies.method >= 0 ? lies.method
                                                : deflate        ? 8
                                                                 : 0),
                     2) +
        littleEndian(0, 4) + littleEndian(crc ^ lies.crcChange, 4) +
        littleEndian(packed.size(), 4) + littleEndian(bytes.size() + lies.addedSize, 4) +
        littleEndian(name.size(), 2) + littleEndian(0, 2);
    table += "PK\x01\x02" + littleEndian(20, 2) + about + littleEndian(0, 10) +
             littleEndian(archive.size(), 4) + name;
    archive += "PK\x03\x04" + about + name + packed;
  }
  return archive + table + "PK\x05\x06" + littleEndian(0, 4) + littleEndian(files.size(), 2) +
         littleEndian(files.size(), 2) + littleEndian(table.size(), 4) +
         littleEndian(archive.size(), 4) + littleEndian(0, 2);
}

}  // namespace headlight::test
