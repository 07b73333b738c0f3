// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The table of a tar archive (POSIX ustar and PAX, GNU's long names), walked header by header.
// Nothing is ever extracted: names are texts, and sizes are believed as far as the file goes.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/files/FileDescriptor.h"

namespace headlight {

/// An archive, open to be read at any place; safe from several threads.
class TarFile {
 public:
  /// Throws Failure (NotFound, Io, UnsupportedFile: no regular file).
  explicit TarFile(std::filesystem::path path);
  const std::filesystem::path& path() const { return m_path; }
  std::uint64_t size() const { return m_size; }
  /// `count` bytes at `offset`; throws Failure (InvalidFile) where the file ends before, Io.
  std::string read(std::uint64_t offset, std::uint64_t count) const;

 private:
  std::filesystem::path m_path;
  FileDescriptor m_file;
  std::uint64_t m_size = 0;
};

struct TarEntry {
  std::string name;          ///< as stored: may be absolute, or lead anywhere
  std::uint64_t offset = 0;  ///< of its bytes in the archive
  std::uint64_t size = 0;    ///< offset + size is at most the archive's
};

/// Calls `each` for every regular file, in order; other kinds (folders, links, devices) are passed
/// over. Throws Failure (InvalidFile): a wrong checksum, an archive that is cut short (an entry
/// beyond its end, or none of the zero blocks that end a tar), a sparse file, a name of over 4096
/// bytes.
using EachEntry = std::function<void(const TarEntry& entry)>;
void walkTar(const TarFile& tar, const EachEntry& each);

}  // namespace headlight
