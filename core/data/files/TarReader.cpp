// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/TarReader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/Translation.h"
#include "core/data/files/TarHeader.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMaxNameBytes = 4096;
constexpr std::uint64_t kMaxPaxBytes = 1u << 20;
constexpr std::uint64_t kReadAhead = 8u << 10;  // a header and what small files lie around it
constexpr const char* kFetchAgain = "; copy or fetch the shard again";

std::uint64_t paddedSize(std::uint64_t size) {
  return (size + kTarBlock - 1) / kTarBlock * kTarBlock;
}

/// Long names (L), long names of links (K) and PAX headers, of one entry or of all.
bool isAboutNext(char type) {
  return type == 'L' || type == 'K' || type == 'x' || type == 'g';
}

/// One walk: where it is, and what the entries passed say of the next.
class TarWalk {
 public:
  explicit TarWalk(const TarFile& tar) : m_tar(tar) {}

  void run(const EachEntry& each) {
    for (auto header = next(); header; header = next()) {
      const std::uint64_t begin = m_at;
      take(*header, each);
      m_at = begin + paddedSize(sizeOf(*header));
      if (!isAboutNext(header->type)) m_changes = {};
    }
  }

 private:
  [[noreturn]] void refuseHere(const std::string& message) const {
    throw Failure({ErrorCode::InvalidFile, message, m_tar.path().string()});
  }

  std::string_view bytes(std::uint64_t at, std::uint64_t count) {
    if (at < m_bufferAt || at + count > m_bufferAt + m_buffer.size()) {
      m_buffer = m_tar.read(at, std::min(std::max(count, kReadAhead), m_tar.size() - at));
      m_bufferAt = at;
    }
    return std::string_view(m_buffer).substr(at - m_bufferAt, count);
  }

  bool has(std::uint64_t at, std::uint64_t count) const {
    return at <= m_tar.size() && count <= m_tar.size() - at;
  }

  /// Stands behind the header then; nothing at the end.
  std::optional<TarHeader> next() {
    if (!has(m_at, kTarBlock))
      refuseHere(tr("is cut short: it ends at byte ") + std::to_string(m_tar.size()) +
                 tr(" without a tar's end") + kFetchAgain);
    const std::string_view block = bytes(m_at, kTarBlock);
    if (isZeroBlock(block)) return requireEnd(), std::nullopt;
    auto header = parseTarHeader(block);
    if (!header)
      refuseHere(tr("is damaged, or not an uncompressed tar: the header at byte ") +
                 std::to_string(m_at) + tr(" is invalid (wrong checksum or size)") + kFetchAgain);
    m_at += kTarBlock;
    requireWithin(*header);
    return header;
  }

  /// What follows a zero block is another, or the end of the file.
  void requireEnd() {
    m_at += kTarBlock;
    if (has(m_at, kTarBlock) && !isZeroBlock(bytes(m_at, kTarBlock)))
      refuseHere(tr("is damaged: a block of zeros at byte ") + std::to_string(m_at - kTarBlock) +
                 tr(" is followed by more data") + kFetchAgain);
  }

  std::uint64_t sizeOf(const TarHeader& header) const {
    if (header.type >= '1' && header.type <= '6') return 0;  // links, folders and devices
    return isAboutNext(header.type) ? header.size : m_changes.size.value_or(header.size);
  }

  std::string nameOf(const TarHeader& header) const { return m_changes.name.value_or(header.name); }

  void requireWithin(const TarHeader& header) const {
    if (has(m_at, sizeOf(header))) return;
    refuseHere(tr("is cut short: it ends at byte ") + std::to_string(m_tar.size()) + ", and " +
               nameOf(header) + tr(" in it would have ") + std::to_string(sizeOf(header)) +
               tr(" from byte ") + std::to_string(m_at) + " on" + kFetchAgain);
  }

  std::string_view extension(const TarHeader& header, std::uint64_t most) {
    if (header.size > most)
      refuseHere(tr("is damaged: a name or a header in it has ") + std::to_string(header.size) +
                 " bytes" + kFetchAgain);
    return bytes(m_at, header.size);
  }

  void takePax(const TarHeader& header) {
    const auto changes = parsePax(extension(header, kMaxPaxBytes));
    if (!changes || (changes->name && changes->name->size() > kMaxNameBytes))
      refuseHere(tr("is damaged: the PAX header at byte ") + std::to_string(m_at) +
                 tr(" cannot be read") + kFetchAgain);
    if (changes->name) m_changes.name = changes->name;
    if (changes->size) m_changes.size = changes->size;
    m_changes.sparse = m_changes.sparse || changes->sparse;
  }

  void take(const TarHeader& header, const EachEntry& each) {
    const char type = header.type;
    if (type == 'L') {
      const std::string_view name = extension(header, kMaxNameBytes);
      m_changes.name = std::string(name.substr(0, name.find('\0')));
    } else if (type == 'x') {
      takePax(header);
    } else if (type == 'S' || m_changes.sparse) {
      refuseHere(tr("contains a sparse file, ") + nameOf(header) +
                 tr(", which is not read; write the shard without --sparse"));
    } else if (type == '0' || type == '\0' || type == '7') {
      each({nameOf(header), m_at, sizeOf(header)});
    }
  }

  const TarFile& m_tar;
  std::uint64_t m_at = 0;
  PaxChanges m_changes;  ///< of the next entry
  std::string m_buffer;
  std::uint64_t m_bufferAt = 0;
};

}  // namespace

TarFile::TarFile(std::filesystem::path path)
    : m_path(std::move(path)), m_file(::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!m_file.valid()) {
    Error error = systemFailure(m_path, "open the shard");
    if (errno == ENOENT) error.code = ErrorCode::NotFound;
    throw Failure(error);
  }
  struct stat status {};
  if (::fstat(m_file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw Failure({ErrorCode::UnsupportedFile, tr("is not a regular file"), m_path.string()});
  m_size = static_cast<std::uint64_t>(status.st_size);
}

std::string TarFile::read(std::uint64_t offset, std::uint64_t count) const {
  if (offset > m_size || count > m_size - offset)
    throw Failure({ErrorCode::InvalidFile,
                   tr("ends at byte ") + std::to_string(m_size) +
                       tr(", before what is read from it") + kFetchAgain,
                   m_path.string()});
  std::string bytes(count, '\0');
  for (std::uint64_t got = 0; got < count;) {
    const ssize_t more =
        ::pread(m_file.get(), bytes.data() + got, count - got, static_cast<off_t>(offset + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) throw Failure(systemFailure(m_path, "read"));
    if (more == 0)
      throw Failure(
          {ErrorCode::InvalidFile, tr("was cut short while it was read"), m_path.string()});
    got += static_cast<std::uint64_t>(more);
  }
  return bytes;
}

void walkTar(const TarFile& tar, const EachEntry& each) {
  TarWalk(tar).run(each);
}

}  // namespace headlight
