// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/ZipArchive.h"

#include <algorithm>

#include "core/base/Crc32.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kDescriptorSignature = 0x08074b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::uint64_t kLocalBytes = 30;
constexpr std::uint64_t kCentralBytes = 46;
constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kEnd64Bytes = 56;
constexpr std::uint64_t kLocatorBytes = 20;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kHasDescriptor = 1 << 3;
constexpr std::uint16_t kDeflateLevel = 3 << 1;  ///< how hard deflate tried
constexpr std::uint16_t kNameIsUtf8 = 1 << 11;
constexpr std::uint16_t kZip64Extra = 0x0001;
constexpr std::uint64_t kFull16 = 0xFFFF;
constexpr std::uint64_t kFull32 = 0xFFFFFFFF;
/// A storage a tensor, and as many again for what else is in a checkpoint.
constexpr std::uint64_t kMaxEntries = 2 * kMaxTensors;
/// A hundred times the directory of the largest checkpoints known.
constexpr std::uint64_t kMaxDirectoryBytes = 128 << 20;

/// Replaces, in the order of the format, the 32-bit fields that say "see the zip64 field". A record
/// that says so and has no such field is refused; torch's padding ('FB') and other fields pass by.
void widen(std::string_view extra, std::initializer_list<std::uint64_t*> fields,
           const std::string& where) {
  ByteCursor cursor(extra, where, "an extra field of its ZIP archive");
  bool found = false;
  while (cursor.remaining() > 0) {
    const std::uint16_t id = cursor.u16();
    const std::uint16_t length = cursor.u16();
    const std::string_view content = cursor.bytes(length);
    if (id != kZip64Extra) continue;
    if (found) refuse(where, tr("an entry of its ZIP archive has two zip64 fields: it is forged"));
    found = true;
    ByteCursor wide(content, where, "a zip64 field of its ZIP archive");
    for (std::uint64_t* field : fields)
      if (*field == kFull32) *field = wide.u64();
  }
  const bool needed =
      std::any_of(fields.begin(), fields.end(), [](auto* field) { return *field == kFull32; });
  if (needed && !found)
    refuse(where,
           tr("an entry of its ZIP archive lacks the zip64 field it points to: it is damaged"));
}

}  // namespace

ZipArchive::ZipArchive(const ByteSource& source) : m_source(source) {
  const Directory directory = findDirectory();
  readDirectory(directory);
  checkLayout(directory.offset);
}

void ZipArchive::fail(const std::string& message) const {
  refuse(m_source.name(), message + tr("; copy or download it again from a trusted source"));
}

const ZipEntry* ZipArchive::find(const std::string& name) const {
  const auto found = m_byName.find(name);
  return found == m_byName.end() ? nullptr : &m_entries[found->second];
}

void ZipArchive::requireStored(const ZipEntry& entry) const {
  if (entry.compressed)
    refuse(m_source.name(),
           tr("its ZIP entry ") + inQuotes(entry.name) +
               tr(" is compressed, which torch.save never does; in Python, torch.load it and "
                  "torch.save its state_dict()"),
           ErrorCode::UnsupportedFile);
}

std::string ZipArchive::read(const ZipEntry& entry, std::uint64_t maxBytes) const {
  requireStored(entry);
  if (entry.size > maxBytes)
    fail(tr("its ZIP entry ") + inQuotes(entry.name) + " has " + std::to_string(entry.size) +
         tr(" bytes; at most ") + std::to_string(maxBytes) + tr(" are read here"));
  std::string bytes = m_source.read(entry.dataOffset, entry.size);
  checkCrc(entry, bytes.data());
  return bytes;
}

void ZipArchive::checkCrc(const ZipEntry& entry, const void* bytes) const {
  if (crc32Of(bytes, entry.size) != entry.crc)
    fail(tr("its ZIP entry ") + inQuotes(entry.name) +
         tr(" is damaged: its checksum does not match"));
}

ZipArchive::Directory ZipArchive::findDirectory() const {
  const std::uint64_t size = m_source.size();
  if (size < kEndBytes) fail(tr("is too short for a ZIP archive"));
  // torch writes no archive comment, so that the end record is exactly at the end. Searching for it
  // further up is what lets two archives hide in one file.
  const std::string end = m_source.read(size - kEndBytes, kEndBytes);
  ByteCursor cursor(end, m_source.name(), "the end of its ZIP archive");
  if (cursor.u32() != kEndSignature)
    fail(tr("does not end like a ZIP archive of torch.save: it is cut short or has extra data"));
  const std::uint16_t disk = cursor.u16();
  const std::uint16_t directoryDisk = cursor.u16();
  const std::uint16_t countHere = cursor.u16();
  Directory directory;
  directory.count = cursor.u16();
  directory.size = cursor.u32();
  directory.offset = cursor.u32();
  if (disk != 0 || directoryDisk != 0 || countHere != directory.count || cursor.u16() != 0)
    fail(tr("its ZIP archive has several parts or a comment, which torch.save never writes"));

  std::uint64_t directoryEnd = size - kEndBytes;
  if (directoryEnd >= kLocatorBytes + kEnd64Bytes) {
    const std::string locator = m_source.read(directoryEnd - kLocatorBytes, kLocatorBytes);
    if (ByteCursor(locator, m_source.name(), "the zip64 locator").u32() == kLocator64Signature) {
      directory = findDirectory64(directoryEnd - kLocatorBytes, locator, directory);
      directoryEnd -= kLocatorBytes + kEnd64Bytes;
    }
  }
  if (directory.offset > directoryEnd || directory.size != directoryEnd - directory.offset)
    fail(tr("its ZIP directory is not where the end record says: it is damaged or forged"));
  if (directory.count > kMaxEntries)
    fail(tr("its ZIP archive has ") + std::to_string(directory.count) + tr(" entries; at most ") +
         std::to_string(kMaxEntries) + tr(" are read here"));
  if (directory.size > kMaxDirectoryBytes || directory.count > directory.size / kCentralBytes)
    fail(tr("its ZIP directory says it has ") + std::to_string(directory.count) +
         tr(" entries in ") + std::to_string(directory.size) + tr(" bytes, which is impossible"));
  return directory;
}

ZipArchive::Directory ZipArchive::findDirectory64(std::uint64_t locatorOffset,
                                                  std::string_view locator,
                                                  const Directory& narrow) const {
  ByteCursor at(locator, m_source.name(), "the zip64 locator");
  at.u32();  // its signature
  const std::uint32_t endDisk = at.u32();
  const std::uint64_t endOffset = at.u64();
  if (endDisk != 0 || at.u32() != 1 || endOffset != locatorOffset - kEnd64Bytes)
    fail(tr("the zip64 locator of its ZIP archive does not point to the record before it"));
  const std::string record = m_source.read(endOffset, kEnd64Bytes);
  ByteCursor cursor(record, m_source.name(), "the zip64 end of its ZIP archive");
  const bool signature = cursor.u32() == kEnd64Signature && cursor.u64() == kEnd64Bytes - 12;
  cursor.u32();  // versions that wrote it and that are needed
  const bool oneDisk = cursor.u32() == 0 && cursor.u32() == 0;
  const std::uint64_t countHere = cursor.u64();
  Directory wide;
  wide.count = cursor.u64();
  wide.size = cursor.u64();
  wide.offset = cursor.u64();
  if (!signature || !oneDisk || countHere != wide.count)
    fail(tr("the zip64 end of its ZIP archive is damaged"));
  const bool agree = (narrow.count == wide.count || narrow.count == kFull16) &&
                     (narrow.size == wide.size || narrow.size == kFull32) &&
                     (narrow.offset == wide.offset || narrow.offset == kFull32);
  if (!agree) fail(tr("the two ends of its ZIP archive disagree: it is forged"));
  return wide;
}

void ZipArchive::readDirectory(const Directory& directory) {
  const std::string bytes = m_source.read(directory.offset, directory.size);
  ByteCursor cursor(bytes, m_source.name(), "its ZIP directory");
  m_entries.reserve(directory.count);
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    m_entries.push_back(readCentralRecord(cursor));
    if (!m_byName.emplace(m_entries.back().name, i).second)
      fail(tr("its ZIP archive has the entry ") + inQuotes(m_entries.back().name) + " twice");
  }
  if (cursor.remaining() != 0) fail(tr("its ZIP directory has more entries than it says"));
}

ZipEntry ZipArchive::readCentralRecord(ByteCursor& cursor) const {
  if (cursor.u32() != kCentralSignature) fail(tr("its ZIP directory is damaged"));
  ZipEntry entry;
  cursor.u32();  // versions
  entry.flags = cursor.u16();
  const std::uint16_t method = cursor.u16();
  cursor.u32();  // time and date
  entry.crc = cursor.u32();
  entry.storedSize = cursor.u32();
  entry.size = cursor.u32();
  const std::uint16_t nameBytes = cursor.u16();
  const std::uint16_t extraBytes = cursor.u16();
  const std::uint16_t commentBytes = cursor.u16();
  const std::uint16_t disk = cursor.u16();
  cursor.bytes(6);  // attributes
  entry.headerOffset = cursor.u32();
  entry.name = cursor.bytes(nameBytes);
  const std::string_view extra = cursor.bytes(extraBytes);
  cursor.bytes(commentBytes);
  widen(extra, {&entry.size, &entry.storedSize, &entry.headerOffset}, m_source.name());
  entry.compressed = method == kDeflated;
  const int known = kHasDescriptor | kNameIsUtf8 | (entry.compressed ? kDeflateLevel : 0);
  if ((entry.flags & ~known) != 0 || (method != 0 && !entry.compressed))
    fail(tr("its ZIP entry ") + inQuotes(entry.name) + tr(" is encrypted or of an unknown kind"));
  if ((entry.storedSize != entry.size && !entry.compressed) || disk != 0)
    fail(tr("its ZIP entry ") + inQuotes(entry.name) +
         tr(" has different stored and actual sizes"));
  return entry;
}

std::uint64_t ZipArchive::checkLocalRecord(ZipEntry& entry, std::uint64_t limit) const {
  const std::string name = "its ZIP entry " + inQuotes(entry.name);
  if (entry.headerOffset > limit || limit - entry.headerOffset < kLocalBytes)
    fail(name + tr(" lies outside the archive"));
  const std::string head = m_source.read(entry.headerOffset, kLocalBytes);
  ByteCursor cursor(head, m_source.name(), name);
  const bool signature = cursor.u32() == kLocalSignature;
  cursor.u16();  // version
  const bool flags = cursor.u16() == entry.flags;
  const bool method = cursor.u16() == (entry.compressed ? kDeflated : 0);
  cursor.u32();  // time and date
  const std::uint32_t crc = cursor.u32();
  std::uint64_t storedSize = cursor.u32();
  std::uint64_t size = cursor.u32();
  const std::uint64_t nameBytes = cursor.u16();
  const std::uint64_t extraBytes = cursor.u16();
  if (!signature || !flags || !method) fail(name + tr(" has two headers that disagree"));

  const std::string rest = m_source.read(entry.headerOffset + kLocalBytes, nameBytes + extraBytes);
  if (std::string_view(rest).substr(0, nameBytes) != entry.name)
    fail(name + tr(" is named ") + inQuotes(std::string_view(rest).substr(0, nameBytes)) +
         tr(" in its own header"));
  widen(std::string_view(rest).substr(nameBytes), {&size, &storedSize}, m_source.name());
  // With a data descriptor the sizes and the CRC may be left out (0) here: they follow the data.
  const bool later = (entry.flags & kHasDescriptor) != 0;
  const auto agrees = [&](std::uint64_t here, std::uint64_t there) {
    return here == there || (later && here == 0);
  };
  if (!agrees(crc, entry.crc) || !agrees(size, entry.size) || !agrees(storedSize, entry.storedSize))
    fail(name + tr(" has two headers that disagree in size or checksum"));

  entry.dataOffset = entry.headerOffset + kLocalBytes + nameBytes + extraBytes;
  if (entry.dataOffset > limit || entry.storedSize > limit - entry.dataOffset)
    fail(name + tr(" says it has ") + std::to_string(entry.storedSize) +
         tr(" bytes, more than the archive has left"));
  return later ? checkDescriptor(entry, limit) : entry.dataOffset + entry.storedSize;
}

std::uint64_t ZipArchive::checkDescriptor(const ZipEntry& entry, std::uint64_t limit) const {
  constexpr std::uint64_t kNarrow = 16, kWide = 24;
  const std::uint64_t begin = entry.dataOffset + entry.storedSize;
  const std::string bytes = m_source.read(begin, std::min(kWide, limit - begin));
  ByteCursor cursor(bytes, m_source.name(), "its ZIP entry " + inQuotes(entry.name));
  if (cursor.u32() == kDescriptorSignature && cursor.u32() == entry.crc) {
    // Wide first: of an entry of 0 bytes both fit, but then the narrow one is followed by zeros,
    // which begin no record.
    ByteCursor wide = cursor;
    if (bytes.size() == kWide && wide.u64() == entry.storedSize && wide.u64() == entry.size)
      return begin + kWide;
    if (cursor.u32() == entry.storedSize && cursor.u32() == entry.size) return begin + kNarrow;
  }
  fail(tr("its ZIP entry ") + inQuotes(entry.name) +
       tr(" has two headers that disagree after its data"));
}

void ZipArchive::checkLayout(std::uint64_t directoryOffset) {
  std::vector<ZipEntry*> order;
  order.reserve(m_entries.size());
  for (ZipEntry& entry : m_entries)
    order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->headerOffset < b->headerOffset; });
  std::uint64_t position = 0;
  for (ZipEntry* entry : order) {
    if (entry->headerOffset < position)
      fail(tr("its ZIP entry ") + inQuotes(entry->name) +
           tr(" overlaps the one before it: it is forged"));
    if (entry->headerOffset > position)
      fail(tr("its ZIP archive hides bytes before the entry ") + inQuotes(entry->name));
    position = checkLocalRecord(*entry, directoryOffset);
  }
  if (position != directoryOffset) fail(tr("its ZIP archive hides bytes before its directory"));
}

}  // namespace headlight
