// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/ZipTable.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56;
constexpr std::uint64_t kEntryBytes = 46, kLocalBytes = 30;
constexpr std::uint64_t kMaxTableBytes = 512u << 20;
constexpr std::uint64_t kMostInflation = 1032;  // of deflate
constexpr std::uint32_t kAll32 = 0xffffffff;

[[noreturn]] void refuseZip(const TarFile& file, const std::string& what,
                            ErrorCode code = ErrorCode::InvalidFile) {
  throw Failure({code, what, file.path().string()});
}

[[noreturn]] void refuseDamaged(const TarFile& file, const std::string& why) {
  refuseZip(file, tr("is a damaged or truncated ZIP archive: ") + why +
                      tr("; copy or download it again"));
}

/// Little-endian; the caller knows that the bytes are there.
std::uint64_t numberAt(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = count; i-- > 0;)
    value = value << 8 | static_cast<std::uint8_t>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

struct TablePlace {
  std::uint64_t at = 0, bytes = 0, entries = 0;
};

/// Beyond 4 GiB or 65,535 entries a second record says what the first has no room for.
TablePlace longTable(const TarFile& file, std::uint64_t end) {
  if (end < kLocatorBytes) refuseDamaged(file, tr("its end is missing"));
  const std::string locator = file.read(end - kLocatorBytes, kLocatorBytes);
  if (!locator.starts_with("PK\x06\x07"sv)) refuseDamaged(file, tr("its ZIP64 end is missing"));
  const std::uint64_t at = numberAt(locator, 8, 8);
  if (at > file.size() || file.size() - at < kEnd64Bytes)
    refuseDamaged(file, tr("its ZIP64 end is missing"));
  const std::string record = file.read(at, kEnd64Bytes);
  if (!record.starts_with("PK\x06\x06"sv)) refuseDamaged(file, tr("its ZIP64 end is missing"));
  return {numberAt(record, 48, 8), numberAt(record, 40, 8), numberAt(record, 32, 8)};
}

TablePlace findTable(const TarFile& file) {
  const std::uint64_t tail = std::min<std::uint64_t>(file.size(), kEndBytes + 0xffff);
  const std::string bytes = file.read(file.size() - tail, tail);
  const std::size_t found = bytes.rfind("PK\x05\x06"sv);
  if (found == bytes.npos || bytes.size() - found < kEndBytes)
    refuseDamaged(file, tr("its table is missing"));
  const std::string_view end = std::string_view(bytes).substr(found);
  if (numberAt(end, 4, 2) != 0 && numberAt(end, 4, 2) != 0xffff)
    refuseZip(file, tr("is one volume of several; join them and give the unpacked folder"),
              ErrorCode::UnsupportedFile);
  TablePlace place{numberAt(end, 16, 4), numberAt(end, 12, 4), numberAt(end, 10, 2)};
  if (place.at == kAll32 || place.bytes == kAll32 || place.entries == 0xffff)
    place = longTable(file, file.size() - tail + found);
  if (place.at > file.size() || place.bytes > file.size() - place.at)
    refuseDamaged(file, tr("its table lies beyond its end"));
  if (place.bytes > kMaxTableBytes || place.entries > place.bytes / kEntryBytes)
    refuseDamaged(file, tr("its table does not hold the entries that it counts"));
  return place;
}

/// The sizes and places that have no room in 32 bits, from the entry's extra field.
void readLongNumbers(const TarFile& file, std::string_view extra, ArchiveEntry& entry) {
  std::string_view rest;
  while (extra.size() >= 4 && rest.empty()) {
    const std::size_t bytes = numberAt(extra, 2, 2);
    if (bytes > extra.size() - 4) break;
    if (numberAt(extra, 0, 2) == 1) rest = extra.substr(4, bytes);
    extra.remove_prefix(4 + bytes);
  }
  for (std::uint64_t* number : {&entry.size, &entry.packed, &entry.header}) {
    if (*number != kAll32) continue;
    if (rest.size() < 8) refuseDamaged(file, tr("a size is missing for ") + entry.name);
    *number = numberAt(rest, 0, 8);
    rest.remove_prefix(8);
  }
}

void requireReadable(const TarFile& file, const ArchiveEntry& entry, std::uint64_t flags,
                     std::uint64_t method) {
  if ((flags & 1) != 0)
    refuseZip(file, tr("is encrypted (") + entry.name + tr("); unpack it and give the folder"),
              ErrorCode::UnsupportedFile);
  if (method != 0 && method != 8)
    refuseZip(file,
              tr("is packed by a method that is not read here (") + entry.name +
                  tr("); unpack it and give the folder"),
              ErrorCode::UnsupportedFile);
  const std::uint64_t most = entry.deflated ? entry.packed * kMostInflation + 64 : entry.packed;
  const bool fits = entry.header <= file.size() && entry.packed <= file.size() - entry.header;
  if (!fits || entry.size > most || (!entry.deflated && entry.size != entry.packed))
    refuseDamaged(file, tr("the sizes of ") + entry.name + tr(" cannot be"));
}

std::string inflated(const TarFile& file, const ArchiveEntry& entry, const std::string& packed) {
  std::string bytes(entry.size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) refuseDamaged(file, tr("out of memory"));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  // zlib counts in 32 bits; entries above are refused before.
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int state = inflate(&stream, Z_FINISH);
  const bool whole = state == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!whole) refuseDamaged(file, entry.name + tr(" cannot be unpacked"));
  return bytes;
}

}  // namespace

std::vector<ArchiveEntry> readZipTable(const TarFile& file) {
  const TablePlace place = findTable(file);
  const std::string table = file.read(place.at, place.bytes);
  std::string_view rest = table;
  std::vector<ArchiveEntry> entries;
  for (std::uint64_t i = 0; i < place.entries; ++i) {
    if (rest.size() < kEntryBytes || !rest.starts_with("PK\x01\x02"sv))
      refuseDamaged(file, tr("its table ends early"));
    const std::size_t name = numberAt(rest, 28, 2), extra = numberAt(rest, 30, 2),
                      comment = numberAt(rest, 32, 2);
    if (rest.size() - kEntryBytes < name + extra + comment)
      refuseDamaged(file, tr("its table ends early"));
    ArchiveEntry entry{std::string(rest.substr(kEntryBytes, name)),
                       numberAt(rest, 42, 4),
                       numberAt(rest, 20, 4),
                       numberAt(rest, 24, 4),
                       static_cast<std::uint32_t>(numberAt(rest, 16, 4)),
                       numberAt(rest, 10, 2) == 8};
    readLongNumbers(file, rest.substr(kEntryBytes + name, extra), entry);
    const bool folder = entry.name.empty() || entry.name.back() == '/' || entry.name.back() == '\\';
    if (!folder) requireReadable(file, entry, numberAt(rest, 8, 2), numberAt(rest, 10, 2));
    rest.remove_prefix(kEntryBytes + name + extra + comment);
    if (!folder) entries.push_back(std::move(entry));
  }
  return entries;
}

std::string readZipEntry(const TarFile& file, const ArchiveEntry& entry) {
  if (file.size() - entry.header < kLocalBytes)
    refuseDamaged(file, entry.name + tr(" lies beyond its end"));
  const std::string local = file.read(entry.header, kLocalBytes);
  if (!local.starts_with("PK\x03\x04"sv))
    refuseDamaged(file, entry.name + tr(" is not where the table says"));
  const std::uint64_t at =
      entry.header + kLocalBytes + numberAt(local, 26, 2) + numberAt(local, 28, 2);
  if (at > file.size() || entry.packed > file.size() - at)
    refuseDamaged(file, entry.name + tr(" lies beyond its end"));
  if (std::max(entry.packed, entry.size) > std::numeric_limits<uInt>::max())
    refuseDamaged(file, entry.name + tr(" is too large"));
  std::string bytes = file.read(at, entry.packed);
  if (entry.deflated) bytes = inflated(file, entry, bytes);
  const uLong crc =
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  if (static_cast<std::uint32_t>(crc) != entry.crc)
    refuseDamaged(file, tr("the checksum is wrong for ") + entry.name);
  return bytes;
}

}  // namespace headlight
