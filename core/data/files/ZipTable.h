// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The table of a ZIP archive (PKWARE's APPNOTE 6.3, with ZIP64), and its entries: stored or
// deflated. Sizes are believed as far as the file goes and deflate can reach.

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/files/TarReader.h"

namespace headlight {

struct ArchiveEntry {
  std::string name;          ///< as stored: may be absolute, or lead anywhere
  std::uint64_t header = 0;  ///< where its local header begins
  std::uint64_t packed = 0;  ///< bytes in the archive
  std::uint64_t size = 0;    ///< bytes unpacked
  std::uint32_t crc = 0;
  bool deflated = false;
};

/// Files alone, in the table's order. Failure: InvalidFile, UnsupportedFile (encrypted entries,
/// other methods, several volumes).
std::vector<ArchiveEntry> readZipTable(const TarFile& file);

/// Failure: InvalidFile, where the entry is not what the table says or its checksum is wrong.
std::string readZipEntry(const TarFile& file, const ArchiveEntry& entry);

}  // namespace headlight
