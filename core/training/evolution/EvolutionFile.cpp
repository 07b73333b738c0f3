// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/evolution/EvolutionFile.h"

#include <unistd.h>

#include <cerrno>

#include "core/base/Crc32c.h"
#include "core/base/Translation.h"
#include "core/training/tensorboard/Protobuf.h"

namespace headlight {
namespace {

constexpr std::string_view kEvolutionMagic = "HLEVOLVE";
constexpr std::size_t kPreambleBytes = 16, kRecordHead = 12, kChecksumBytes = 4;
constexpr std::uint32_t kMostContent = 512u << 20;

std::uint32_t littleEndianAt(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i)
    value = value << 8 | static_cast<std::uint8_t>(bytes[offset + static_cast<std::size_t>(i)]);
  return value;
}

/// Whether the four bytes behind the first `size` are their checksum.
bool checks(std::string_view bytes, std::size_t size) {
  return littleEndianAt(bytes, size) == crc32cOf(bytes.substr(0, size));
}

Result<void> checkPreamble(std::string_view bytes, const std::filesystem::path& path) {
  if (!bytes.starts_with(kEvolutionMagic) || !checks(bytes, 12))
    return Error{ErrorCode::InvalidFile,
                 tr("is not a recording of a run, or its beginning is damaged; move it away, and a "
                    "resumed run starts a new recording"),
                 path.string()};
  if (const std::uint32_t version = littleEndianAt(bytes, 8); version != kEvolutionVersion)
    return Error{ErrorCode::UnsupportedFile,
                 tr("was written by another version of Headlight (format ") +
                     std::to_string(version) + tr("; this one reads ") +
                     std::to_string(kEvolutionVersion) + tr("); open it with that version"),
                 path.string()};
  return {};
}

}  // namespace

std::string evolutionPreamble() {
  std::string bytes(kEvolutionMagic);
  appendLittleEndian(bytes, kEvolutionVersion, 4);
  appendLittleEndian(bytes, crc32cOf(bytes), 4);
  return bytes;
}

std::string evolutionRecord(std::uint32_t kind, std::string_view content) {
  if (content.size() > kMostContent)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("one point would take more than 512 MB, so none is recorded"),
                   kEvolutionFile});
  std::string record;
  record.reserve(content.size() + kRecordHead + kChecksumBytes);
  appendLittleEndian(record, kind, 4);
  appendLittleEndian(record, content.size(), 4);
  appendLittleEndian(record, crc32cOf(record), 4);
  record += content;
  appendLittleEndian(record, crc32cOf(content), 4);
  return record;
}

std::string evolutionBytes(const FileDescriptor& file, const std::filesystem::path& path,
                           std::int64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::pread(file.get(), bytes.data() + have, size - have,
                                offset + static_cast<std::int64_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Failure(systemFailure(path, "read"));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

Result<EvolutionScan> scanEvolution(const FileDescriptor& file, const std::filesystem::path& path,
                                    std::int64_t offset,
                                    const std::function<bool(EvolutionRecord&&)>& take) {
  return guarded(path.string(), [&]() -> Result<EvolutionScan> {
    EvolutionScan scan{offset, ""};
    if (offset == 0) {
      const std::string first = evolutionBytes(file, path, 0, kPreambleBytes);
      if (first.size() < kPreambleBytes) return scan;
      if (auto checked = checkPreamble(first, path); !checked) return checked.error();
      scan.end = kPreambleBytes;
    }
    // What a damaged head claims must not be allocated before it is there.
    const std::int64_t size = ::lseek(file.get(), 0, SEEK_END);
    for (;;) {
      const std::string head = evolutionBytes(file, path, scan.end, kRecordHead);
      if (head.size() < kRecordHead) return scan;
      const std::uint32_t length = littleEndianAt(head, 4);
      if (!checks(head, 8) || length > kMostContent) {
        scan.problem =
            "is damaged at byte " + std::to_string(scan.end) + "; the rest cannot be read";
        return scan;
      }
      EvolutionRecord record;
      record.kind = littleEndianAt(head, 0);
      record.offset = scan.end;
      record.size = static_cast<std::int64_t>(kRecordHead + length + kChecksumBytes);
      if (record.offset + record.size > size) return scan;
      record.content = evolutionBytes(file, path, scan.end + static_cast<std::int64_t>(kRecordHead),
                                      length + kChecksumBytes);
      if (record.content.size() < length + kChecksumBytes) return scan;
      record.damaged = !checks(record.content, length);
      record.content.resize(length);
      const std::int64_t next = record.offset + record.size;
      if (!take(std::move(record))) return scan;
      scan.end = next;
    }
  });
}

}  // namespace headlight
