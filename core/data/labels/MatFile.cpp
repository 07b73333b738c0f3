// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labels/MatFile.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr std::size_t kHeaderBytes = 128;
constexpr std::size_t kMaxUnpacked = 64u << 20;
constexpr std::uint64_t kMaxEntries = 1u << 20;
constexpr std::uint32_t kInt8 = 1, kUint8 = 2, kUint16 = 4, kInt32 = 5, kDouble = 9, kMatrix = 14,
                        kCompressed = 15, kUtf8 = 16, kInt16 = 3, kUint32 = 6, kInt64 = 12,
                        kUint64 = 13;
constexpr std::uint8_t kStruct = 2, kChar = 4;

[[noreturn]] void refuseMat(const std::string& why) {
  throw Failure(
      {ErrorCode::InvalidFile, tr("is no MATLAB file of format 5, or a damaged one: ") + why, ""});
}

struct Element {
  std::uint32_t type = 0;
  std::string_view data;
};

/// Elements one after another; each begins at eight bytes.
class Elements {
 public:
  explicit Elements(std::string_view bytes) : m_rest(bytes) {}

  bool atEnd() const { return m_rest.size() < 8; }
  Element next() {
    if (atEnd()) refuseMat(tr("it ends early"));
    const std::uint32_t first = number(0);
    const std::uint32_t small = first >> 16;  // up to four bytes lie in the tag itself
    if (small > 4) refuseMat(tr("an element of an unknown form"));
    const std::size_t begin = small != 0 ? 4 : 8, bytes = small != 0 ? small : number(4);
    if (bytes > m_rest.size() - begin) refuseMat(tr("it ends early"));
    const Element element{small != 0 ? first & 0xffff : first, m_rest.substr(begin, bytes)};
    const bool padded = small == 0 && element.type != kCompressed;
    const std::size_t whole = small != 0 ? 8 : padded ? 8 + (bytes + 7) / 8 * 8 : 8 + bytes;
    m_rest.remove_prefix(std::min(whole, m_rest.size()));
    return element;
  }

 private:
  std::uint32_t number(std::size_t at) const {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;)
      value = value << 8 | static_cast<std::uint8_t>(m_rest[at + i]);
    return value;
  }

  std::string_view m_rest;
};

std::string unpacked(std::string_view packed) {
  std::string bytes;
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) refuseMat(tr("out of memory"));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int state = Z_OK;
  while (state == Z_OK && bytes.size() <= kMaxUnpacked) {
    const std::size_t before = bytes.size();
    bytes.resize(before + (1u << 20));
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + before);
    stream.avail_out = 1u << 20;
    state = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(before + ((1u << 20) - stream.avail_out));
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END) refuseMat(tr("it cannot be unpacked, or is too large"));
  return bytes;
}

std::size_t widthOf(std::uint32_t type) {
  if (type == kInt16 || type == kUint16) return 2;
  if (type == kInt32 || type == kUint32) return 4;
  return type == kDouble || type == kInt64 || type == kUint64 ? 8 : 1;
}

/// The number at `index`, of any type that MATLAB stores whole numbers as.
std::optional<double> numberIn(const Element& element, std::size_t index) {
  const std::size_t width = widthOf(element.type);
  if (index >= element.data.size() / width) return std::nullopt;
  std::uint64_t bits = 0;
  for (std::size_t i = width; i-- > 0;)
    bits = bits << 8 | static_cast<std::uint8_t>(element.data[index * width + i]);
  switch (element.type) {
    case kDouble:
      return std::bit_cast<double>(bits);
    case kInt8:
      return static_cast<std::int8_t>(bits);
    case kInt16:
      return static_cast<std::int16_t>(bits);
    case kInt32:
      return static_cast<std::int32_t>(bits);
    case kInt64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case kUint64:
    case kUint8:
    case kUint16:
    case kUint32:
      return static_cast<double>(bits);
    default:
      return std::nullopt;
  }
}

struct Matrix {
  std::uint8_t kind = 0;
  std::uint64_t count = 0;
  std::string name;
  Elements rest;

  explicit Matrix(std::string_view bytes) : rest(bytes) {
    const Element flags = rest.next(), sizes = rest.next(), label = rest.next();
    if (flags.data.size() < 8 || sizes.type != kInt32) refuseMat(tr("an array without its sizes"));
    kind = static_cast<std::uint8_t>(flags.data[0]);
    count = 1;
    for (std::size_t i = 0; i < sizes.data.size() / 4; ++i) {
      const double side = *numberIn(sizes, i);
      if (side < 0 || (side > 0 && static_cast<double>(count) > double(kMaxEntries) / side))
        refuseMat(tr("an array with too many entries"));
      count *= static_cast<std::uint64_t>(side);
    }
    name = std::string(label.data);
  }
};

/// A text, or one whole number; empty for all else.
std::string textOf(std::string_view bytes) {
  Matrix matrix(bytes);
  if (matrix.count == 0 || matrix.rest.atEnd() || matrix.kind == kStruct) return "";
  const Element data = matrix.rest.next();
  if (matrix.kind != kChar) {
    const auto value = matrix.count == 1 ? numberIn(data, 0) : std::nullopt;
    const bool whole = value && *value == std::floor(*value) && std::abs(*value) < 1e9;
    return whole ? std::to_string(static_cast<std::int64_t>(*value)) : "";
  }
  if (data.type == kUtf8 || widthOf(data.type) == 1) return std::string(data.data);
  std::string text;
  for (std::size_t i = 0; i + 1 < data.data.size(); i += 2)
    text += data.data[i + 1] == 0 ? data.data[i] : '?';
  return text;
}

/// Names of a fixed length, filled up with zeros.
std::vector<std::string> fieldNames(Matrix& table) {
  const Element length = table.rest.next(), names = table.rest.next();
  const auto each = numberIn(length, 0);
  if (!each || *each < 1 || *each > 256) refuseMat(tr("fields without names"));
  std::vector<std::string> fields;
  const auto step = static_cast<std::size_t>(*each);
  for (std::size_t at = 0; at + step <= names.data.size(); at += step) {
    const std::string_view name = names.data.substr(at, step);
    fields.emplace_back(name.substr(0, name.find('\0')));
  }
  return fields;
}

std::optional<MatColumns> columnsOf(std::string_view bytes, const std::string& name,
                                    const std::vector<std::string>& wanted) {
  Matrix table(bytes);
  if (table.kind != kStruct || table.name != name) return std::nullopt;
  const auto fields = fieldNames(table);
  MatColumns columns;
  for (std::uint64_t i = 0; i < table.count; ++i)
    for (const std::string& field : fields) {
      const Element value = table.rest.next();
      if (value.type != kMatrix) refuseMat(tr("a field of an unknown kind"));
      if (std::find(wanted.begin(), wanted.end(), field) != wanted.end())
        columns[field].push_back(textOf(value.data));
    }
  for (const std::string& field : wanted)
    if (columns.count(field) == 0) refuseMat(tr("it has no field ") + field);
  return columns;
}

MatColumns readTable(std::string_view bytes, const std::string& name,
                     const std::vector<std::string>& wanted) {
  if (bytes.size() < kHeaderBytes || bytes.substr(126, 2) != "IM") refuseMat(tr("its header"));
  Elements elements(bytes.substr(kHeaderBytes));
  while (!elements.atEnd()) {
    const Element element = elements.next();
    std::string storage;
    std::string_view matrix = element.data;
    if (element.type == kCompressed) {
      storage = unpacked(element.data);
      const Element inside = Elements(storage).next();
      if (inside.type != kMatrix) continue;
      matrix = inside.data;
    } else if (element.type != kMatrix) {
      continue;
    }
    if (auto columns = columnsOf(matrix, name, wanted)) return std::move(*columns);
  }
  refuseMat(tr("it has no table ") + name);
}

}  // namespace

MatColumns readMatTable(std::string_view bytes, const std::string& name,
                        const std::vector<std::string>& columns, const std::string& where) {
  auto read = guarded(where, [&] { return readTable(bytes, name, columns); });
  if (read) return std::move(*read);
  Error error = read.error();
  error.where = where;
  throw Failure(error);
}

}  // namespace headlight
