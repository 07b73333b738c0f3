// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A strict reader of the ZIP files that torch.save writes. Two readers of one ambiguous archive can
// see two different files; this one accepts only archives that mean one thing. Internal.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/checkpoint/ByteSource.h"

namespace headlight {

struct ZipEntry {
  std::string name;
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
  std::uint64_t storedSize = 0;  ///< in the archive; other than `size` where it is compressed
  bool compressed = false;       ///< by deflate, as the code of TorchScript is; it is not read here
  std::uint64_t headerOffset = 0;
  std::uint64_t dataOffset = 0;
};

/// Only stored entries can be read, and none is encrypted; local and central records that agree in
/// name, flags, CRC and size, with or without torch's data descriptors and zip64 fields; no name
/// twice; entries and central directory cover the file from its first byte to its last without
/// overlap or hole. The constructor throws a Failure for anything else.
class ZipArchive {
 public:
  /// `source` must outlive the archive.
  explicit ZipArchive(const ByteSource& source);

  const std::vector<ZipEntry>& entries() const { return m_entries; }
  /// Null if there is none.
  const ZipEntry* find(const std::string& name) const;
  /// Throws a Failure(UnsupportedFile) for a compressed entry.
  void requireStored(const ZipEntry& entry) const;
  /// The content, at most `maxBytes`, its CRC checked.
  std::string read(const ZipEntry& entry, std::uint64_t maxBytes) const;
  /// Refuses bytes that were read of `entry`, all of them, if they do not have its CRC.
  void checkCrc(const ZipEntry& entry, const void* bytes) const;

 private:
  struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t count = 0;
  };
  Directory findDirectory() const;
  Directory findDirectory64(std::uint64_t locatorOffset, std::string_view locator,
                            const Directory& narrow) const;
  void readDirectory(const Directory& directory);
  ZipEntry readCentralRecord(ByteCursor& cursor) const;
  /// Where the entry's last byte (data descriptor included) is followed by the next thing.
  std::uint64_t checkLocalRecord(ZipEntry& entry, std::uint64_t limit) const;
  std::uint64_t checkDescriptor(const ZipEntry& entry, std::uint64_t limit) const;
  void checkLayout(std::uint64_t directoryOffset);
  [[noreturn]] void fail(const std::string& message) const;

  const ByteSource& m_source;
  std::vector<ZipEntry> m_entries;
  std::unordered_map<std::string, std::size_t> m_byName;
};

}  // namespace headlight
