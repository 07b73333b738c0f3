// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/SafetensorsFile.h"

#include <algorithm>

#include "core/base/ForeignContent.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"
#include "core/checkpoint/TensorBytes.h"

namespace headlight {

OpenedSafetensors openSafetensors(const ByteSource& source) {
  constexpr std::uint64_t kLength = 8;
  if (source.size() < kLength + 1)
    refuse(source.name(),
           "has " + std::to_string(source.size()) +
               tr(" bytes, too few for a safetensors file; copy or download it again"));
  const std::string start = source.read(0, kLength);
  const std::uint64_t length = ByteCursor(start, source.name(), "the header").u64();
  // A length may be any bytes, so that only what is no header is something else.
  const bool header = source.read(kLength, 1) == "{" && length <= kMaxSafetensorsHeader;
  const std::string head = source.read(0, std::min<std::uint64_t>(source.size(), 512));
  if (const std::string other = header ? "" : foreignContent(head); !other.empty())
    refuse(source.name(), other, ErrorCode::UnsupportedFile);
  if (source.read(kLength, 1) != "{")
    refuse(source.name(), tr("is not a safetensors file: its header does not begin with '{'"),
           ErrorCode::UnsupportedFile);
  if (length > kMaxSafetensorsHeader)
    refuse(source.name(), tr("says that its header has ") + std::to_string(length) +
                              tr(" bytes; at most 100 MB are allowed: the file is damaged"));
  const std::string json = source.read(kLength, length);
  const std::uint64_t dataBegin = kLength + length;
  return {parseSafetensorsHeader(json, source.size() - dataBegin, source.name()), dataBegin};
}

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  SafetensorsFile file;
  file.m_source = ByteSource::openFile(path);
  file.m_opened = openSafetensors(*file.m_source);
  return file;
}

const SafetensorsEntry* SafetensorsFile::find(const std::string& tensor) const {
  const auto& entries = m_opened.header.entries;
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.name == tensor; });
  return found == entries.end() ? nullptr : &*found;
}

at::Tensor SafetensorsFile::read(const SafetensorsEntry& entry) const {
  return readAt(entry, {});
}

at::Tensor SafetensorsFile::readItem(const SafetensorsEntry& entry, std::int64_t index) const {
  return readAt(entry, {index});
}

at::Tensor SafetensorsFile::readAt(const SafetensorsEntry& entry,
                                   const std::vector<std::int64_t>& place) const {
  std::vector<std::int64_t> shape = entry.shape;
  std::uint64_t begin = entry.begin, size = entry.end - entry.begin;
  for (const std::int64_t index : place) {
    if (shape.empty() || index < 0 || index >= shape.front())
      refuse(name(), "tensor " + inQuotes(entry.name) + tr(" has no item ") + std::to_string(index),
             ErrorCode::InvalidArgument);
    size /= static_cast<std::uint64_t>(shape.front());
    begin += size * static_cast<std::uint64_t>(index);
    shape.erase(shape.begin());
  }
  return readTensor(*m_source, m_opened.dataBegin + begin, shape, entry.dtype, entry.name);
}

}  // namespace headlight
