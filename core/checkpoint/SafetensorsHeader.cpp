// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/SafetensorsHeader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"
#include "core/config/ConfigText.h"

namespace headlight {
namespace {

using c10::ScalarType;

constexpr std::array<std::pair<const char*, ScalarType>, 10> kDtypes{{
    {"F64", ScalarType::Double},
    {"F32", ScalarType::Float},
    {"F16", ScalarType::Half},
    {"BF16", ScalarType::BFloat16},
    {"I64", ScalarType::Long},
    {"I32", ScalarType::Int},
    {"I16", ScalarType::Short},
    {"I8", ScalarType::Char},
    {"U8", ScalarType::Byte},
    {"BOOL", ScalarType::Bool},
}};

constexpr const char* kMetadataName = "__metadata__";
/// As many values as the most tensors can have.
constexpr JsonLimits kHeaderLimits{
    .bytes = kMaxSafetensorsHeader, .keys = SIZE_MAX, .values = kMaxTensors * (kMaxDimensions + 8)};

/// Takes the parser's events, so that nothing is built of a header that is not exactly as it should
/// be, a name given twice is seen, and nesting ends where the format ends.
class HeaderReader : public JsonEvents {
 public:
  explicit HeaderReader(std::string where) : m_where(std::move(where)) {}
  SafetensorsHeader take() { return std::move(m_header); }

  bool null() override { return unexpectedValue("null"); }
  bool boolean(bool) override { return unexpectedValue("true or false"); }
  bool number_integer(number_integer_t) override { return unexpectedValue("a negative number"); }
  bool number_float(number_float_t, const string_t& text) override {
    return unexpectedValue("the number " + inQuotes(text) + ", which is too large or not whole");
  }
  bool binary(binary_t&) override { return unexpectedValue("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (m_place == Place::Shape) {
      if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
        return unexpectedValue("a size above 2⁶³");
      if (m_entry.shape.size() >= kMaxDimensions)
        refuse(m_where, "tensor " + inQuotes(m_entry.name) + tr(" has more than ") +
                            std::to_string(kMaxDimensions) +
                            tr(" dimensions; no real tensor has so many: the header is forged"));
      m_entry.shape.push_back(static_cast<std::int64_t>(value));
    } else if (m_place == Place::Offsets && m_offsets < 2) {
      (m_offsets++ == 0 ? m_entry.begin : m_entry.end) = value;
    } else {
      return unexpectedValue("a number");
    }
    return true;
  }

  bool string(string_t& value) override {
    if (m_place == Place::Metadata) {
      if (m_header.metadata.size() >= kMaxTensors) failOnMany(tr("metadata entries"));
      m_header.metadata.emplace(m_key, std::move(value));
    } else if (m_place == Place::Tensor && m_key == "dtype") {
      const auto* known = std::find_if(kDtypes.begin(), kDtypes.end(),
                                       [&](const auto& dtype) { return value == dtype.first; });
      if (known == kDtypes.end())
        refuse(m_where,
               "tensor " + inQuotes(m_entry.name) + tr(" has the dtype ") + inQuotes(value) +
                   tr(", which is not read here; convert it to F32, F16 or BF16"),
               ErrorCode::UnsupportedFile);
      m_entry.dtype = known->second;
    } else {
      return unexpectedValue("text");
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (m_place == Place::Before) {
      m_place = Place::Top;
    } else if (m_place == Place::Top) {
      m_place = m_key == kMetadataName ? Place::Metadata : Place::Tensor;
      m_entry = {m_key, ScalarType::Float, {}, 0, 0};
      m_fields.clear();
    } else {
      return unexpectedValue("an object");
    }
    return true;
  }

  bool key(string_t& name) override {
    if (m_place == Place::Top) {
      if (!isPlainName(name))
        fail(tr("holds a tensor whose name is too long or has control characters"));
      if (!m_names.insert(name).second) fail("names " + inQuotes(name) + " twice");
    } else if (m_place == Place::Metadata) {
      if (m_header.metadata.contains(name))
        fail(tr("has the metadata ") + inQuotes(name) + " twice");
    } else {
      const bool known = name == "dtype" || name == "shape" || name == "data_offsets";
      if (!known)
        fail(tr("gives tensor ") + inQuotes(m_entry.name) + tr(" an unknown key ") +
             inQuotes(name));
      if (!m_fields.insert(name).second)
        fail(tr("gives tensor ") + inQuotes(m_entry.name) + " " + inQuotes(name) + " twice");
    }
    m_key = std::move(name);
    return true;
  }

  bool end_object() override {
    if (m_place == Place::Tensor) {
      if (m_fields.size() != 3)
        fail(tr("gives tensor ") + inQuotes(m_entry.name) + tr(" no dtype, shape or data_offsets"));
      if (m_header.entries.size() >= kMaxTensors) failOnMany("tensors");
      m_header.entries.push_back(std::move(m_entry));
    }
    m_place = m_place == Place::Top ? Place::After : Place::Top;
    return true;
  }

  bool start_array(std::size_t) override {
    if (m_place != Place::Tensor || m_key == "dtype") return unexpectedValue("a list");
    m_place = m_key == "shape" ? Place::Shape : Place::Offsets;
    m_offsets = 0;
    return true;
  }

  bool end_array() override {
    if (m_place == Place::Offsets && m_offsets != 2)
      fail(tr("gives tensor ") + inQuotes(m_entry.name) +
           tr(" data_offsets that are not two numbers"));
    m_place = Place::Tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    fail(tr("is not valid JSON at byte ") + std::to_string(position));
  }

 private:
  enum class Place { Before, Top, Metadata, Tensor, Shape, Offsets, After };

  [[noreturn]] void fail(const std::string& what) const {
    refuse(m_where,
           tr("its header ") + what + tr(": the file is damaged; copy or download it again"));
  }

  [[noreturn]] void failOnMany(const std::string& what) const {
    refuse(m_where, tr("its header lists more than ") + std::to_string(kMaxTensors) + " " + what +
                        tr(", the most that are read here"));
  }

  bool unexpectedValue(const std::string& what) const {
    if (m_place == Place::Before || m_place == Place::After) fail(tr("is not one JSON object"));
    const std::string owner = m_place == Place::Top || m_place == Place::Metadata
                                  ? inQuotes(m_key)
                                  : "tensor " + inQuotes(m_entry.name) + " (" + m_key + ")";
    fail("holds " + what + " where " + owner + tr(" needs another type"));
  }

  std::string m_where;
  SafetensorsHeader m_header;
  Place m_place = Place::Before;
  std::string m_key;
  SafetensorsEntry m_entry;
  int m_offsets = 0;
  std::unordered_set<std::string> m_names;
  std::unordered_set<std::string> m_fields;
};

void checkSizes(const SafetensorsEntry& entry, const std::string& where) {
  const std::string tensor = "tensor " + inQuotes(entry.name);
  const auto bytes =
      byteCount(entry.shape, static_cast<std::int64_t>(c10::elementSize(entry.dtype)));
  if (!bytes)
    refuse(where, tensor + tr(" has the shape ") + shapeText(entry.shape) +
                      tr(", more than any memory holds: the header is damaged or forged"));
  if (entry.begin > entry.end || entry.end - entry.begin != static_cast<std::uint64_t>(*bytes))
    refuse(where, tensor + tr(" of shape ") + shapeText(entry.shape) + " needs " +
                      std::to_string(*bytes) + tr(" bytes, but its offsets are ") +
                      std::to_string(entry.begin) + " to " + std::to_string(entry.end) +
                      tr(": the header is damaged"));
}

/// Sorted by offset, each entry must begin where the one before it ended, and the last end the
/// file.
void checkCoverage(const std::vector<SafetensorsEntry>& entries, std::uint64_t dataBytes,
                   const std::string& where) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(entries[a].begin, entries[a].end) <
           std::pair(entries[b].begin, entries[b].end);
  });
  std::uint64_t position = 0;
  for (const std::size_t index : order) {
    const SafetensorsEntry& entry = entries[index];
    if (entry.end > dataBytes)
      refuse(where, "tensor " + inQuotes(entry.name) + tr(" ends at byte ") +
                        std::to_string(entry.end) + tr(" of the data, which has only ") +
                        std::to_string(dataBytes) +
                        tr(": the file is cut short; copy or download it again"));
    if (entry.begin != position)
      refuse(where,
             "tensor " + inQuotes(entry.name) + tr(" begins at byte ") +
                 std::to_string(entry.begin) +
                 (entry.begin < position ? tr(", inside the tensor before it")
                                         : tr(", leaving a hole after the tensor before it")) +
                 tr(" (which ends at ") + std::to_string(position) +
                 tr("): the header is damaged or forged"));
    position = entry.end;
  }
  if (position != dataBytes)
    refuse(where, tr("its tensors end at byte ") + std::to_string(position) +
                      tr(" of the data, which has ") + std::to_string(dataBytes) +
                      tr(": the file has extra data after its end"));
}

}  // namespace

SafetensorsHeader parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes,
                                         const std::string& where) {
  HeaderReader reader(where);
  followJson(json, where, kHeaderLimits, reader);
  SafetensorsHeader header = reader.take();
  for (const SafetensorsEntry& entry : header.entries)
    checkSizes(entry, where);
  checkCoverage(header.entries, dataBytes, where);
  return header;
}

std::optional<std::string> safetensorsDtypeName(c10::ScalarType type) {
  for (const auto& [name, known] : kDtypes)
    if (known == type) return name;
  return std::nullopt;
}

}  // namespace headlight
