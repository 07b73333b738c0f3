// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/training/EventReader.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace headlight {
namespace {

std::uint32_t bitwiseCrc(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc & 1) ? (crc >> 1) ^ 0x82f63b78u : crc >> 1;
  }
  return ~crc;
}

std::uint64_t littleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value * 256 + static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Whether `stored`, four bytes, is the masked checksum of `bytes`.
bool checks(std::string_view bytes, std::string_view stored) {
  const auto rotated = static_cast<std::uint32_t>(littleEndian(stored) - 0xa282ead8u);
  return ((rotated >> 17) | (rotated << 15)) == bitwiseCrc(bytes);
}

double asDouble(std::string_view bytes) {
  double value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

struct Field {
  int number = 0;
  std::uint64_t integer = 0;
  std::string_view bytes;  ///< of a fixed number, or of what has a length
};

std::uint64_t takeVarint(std::string_view& rest) {
  std::uint64_t value = 0;
  for (int shift = 0; !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

std::vector<Field> fieldsOf(std::string_view message) {
  std::vector<Field> fields;
  while (!message.empty()) {
    const std::uint64_t key = takeVarint(message);
    Field field{static_cast<int>(key >> 3), 0, {}};
    if (key % 8 == 0) {
      field.integer = takeVarint(message);
    } else {
      const std::size_t size = key % 8 == 1 ? 8 : key % 8 == 5 ? 4 : takeVarint(message);
      EXPECT_TRUE(key % 8 == 1 || key % 8 == 2 || key % 8 == 5) << "wire type " << key % 8;
      EXPECT_LE(size, message.size());
      field.bytes = message.substr(0, size);
      message.remove_prefix(std::min(size, message.size()));
    }
    fields.push_back(field);
  }
  return fields;
}

std::vector<double> packedDoubles(std::string_view bytes) {
  std::vector<double> values;
  for (; bytes.size() >= 8; bytes.remove_prefix(8))
    values.push_back(asDouble(bytes));
  EXPECT_TRUE(bytes.empty());
  return values;
}

ReadHistogram histogramOf(std::string_view message) {
  ReadHistogram read;
  for (const Field& field : fieldsOf(message)) {
    if (field.number == 1) read.least = asDouble(field.bytes);
    if (field.number == 2) read.greatest = asDouble(field.bytes);
    if (field.number == 3) read.count = asDouble(field.bytes);
    if (field.number == 4) read.sum = asDouble(field.bytes);
    if (field.number == 5) read.squares = asDouble(field.bytes);
    if (field.number == 6) read.limits = packedDoubles(field.bytes);
    if (field.number == 7) read.counts = packedDoubles(field.bytes);
  }
  return read;
}

void readImage(std::string_view message, ReadValue& value) {
  for (const Field& field : fieldsOf(message)) {
    if (field.number == 1) value.height = static_cast<std::int64_t>(field.integer);
    if (field.number == 2) value.width = static_cast<std::int64_t>(field.integer);
    if (field.number == 3) value.colors = static_cast<std::int64_t>(field.integer);
    if (field.number == 4) value.png = field.bytes;
  }
}

ReadValue valueOf(std::string_view message) {
  ReadValue value;
  for (const Field& field : fieldsOf(message)) {
    if (field.number == 1) value.tag = field.bytes;
    if (field.number == 2) std::memcpy(&value.number, field.bytes.data(), sizeof value.number);
    if (field.number == 4) readImage(field.bytes, value);
    if (field.number == 5) value.histogram = histogramOf(field.bytes);
    if (field.number == 2 || field.number == 4 || field.number == 5) value.kind = field.number;
    if (field.number != 9) continue;
    for (const Field& inner : fieldsOf(field.bytes))
      if (inner.number == 3) value.description = inner.bytes;
  }
  return value;
}

ReadEvent eventOf(std::string_view message) {
  ReadEvent event;
  for (const Field& field : fieldsOf(message)) {
    if (field.number == 1) event.seconds = asDouble(field.bytes);
    if (field.number == 2) event.step = static_cast<std::int64_t>(field.integer);
    if (field.number == 3) event.version = field.bytes;
    if (field.number == 5)
      for (const Field& value : fieldsOf(field.bytes))
        event.values.push_back(valueOf(value.bytes));
    if (field.number == 7)
      for (const Field& status : fieldsOf(field.bytes))
        if (status.number == 1) event.session = static_cast<std::int64_t>(status.integer);
  }
  return event;
}

}  // namespace

std::vector<ReadEvent> readEventFile(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::vector<ReadEvent> events;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t size = rest.size() < 16 ? rest.size() : littleEndian(rest.substr(0, 8));
    if (size + 16 > rest.size() || !checks(rest.substr(0, 8), rest.substr(8, 4)) ||
        !checks(rest.substr(12, size), rest.substr(12 + size, 4))) {
      ADD_FAILURE() << file << " is damaged " << rest.size() << " bytes before its end";
      break;
    }
    events.push_back(eventOf(rest.substr(12, size)));
    rest.remove_prefix(size + 16);
  }
  return events;
}

std::vector<std::filesystem::path> eventFiles(const std::filesystem::path& run) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(run))
    if (entry.path().filename().string().find("tfevents") != std::string::npos)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::map<std::pair<std::string, std::int64_t>, ReadValue> shownOf(
    const std::filesystem::path& run) {
  std::map<std::pair<std::string, std::int64_t>, ReadValue> shown;
  bool started = false;
  for (const auto& file : eventFiles(run))
    for (const ReadEvent& event : readEventFile(file)) {
      if (event.session == 1 && std::exchange(started, true))
        std::erase_if(shown, [&](const auto& item) { return item.first.second >= event.step; });
      for (const ReadValue& value : event.values)
        EXPECT_TRUE(shown.emplace(std::pair(value.tag, event.step), value).second)
            << value.tag << " is said twice of step " << event.step;
    }
  return shown;
}

}  // namespace headlight
