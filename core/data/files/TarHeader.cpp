// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/TarHeader.h"

#include <algorithm>
#include <charconv>

namespace headlight {
namespace {

// Fields of the header: where each begins and how long it is (POSIX.1-1988, ustar).
constexpr std::size_t kSizeAt = 124, kSizeLength = 12;
constexpr std::size_t kChecksumAt = 148, kChecksumLength = 8;
constexpr std::size_t kTypeAt = 156;
constexpr std::size_t kMagicAt = 257;
constexpr std::size_t kPrefixAt = 345, kPrefixLength = 155, kNameLength = 100;

/// Up to a zero byte, if there is one.
std::string_view textIn(std::string_view block, std::size_t at, std::size_t length) {
  const std::string_view field = block.substr(at, length);
  return field.substr(0, field.find('\0'));
}

std::optional<std::uint64_t> octal(std::string_view field) {
  const std::size_t begin = std::min(field.find_first_not_of(' '), field.size());
  const std::size_t end =
      std::min(field.find_first_of(std::string_view(" \0", 2), begin), field.size());
  std::uint64_t value = 0;
  for (const char digit : field.substr(begin, end - begin)) {
    if (digit < '0' || digit > '7') return std::nullopt;
    value = value << 3 | static_cast<std::uint64_t>(digit - '0');  // 12 digits are 36 bits
  }
  return value;
}

/// GNU's for 8 GiB and more: the first bit says so, the last eight bytes have the number.
std::optional<std::uint64_t> sizeIn(std::string_view block) {
  const std::string_view field = block.substr(kSizeAt, kSizeLength);
  if (!(static_cast<unsigned char>(field[0]) & 0x80)) return octal(field);
  if (field[0] != '\x80' || field.substr(1, 3) != std::string_view("\0\0\0", 3))
    return std::nullopt;
  std::uint64_t value = 0;
  for (const char byte : field.substr(4))
    value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

/// The sum of all bytes, its own field taken as blanks; old programs added signed ones.
bool checksumFits(std::string_view block) {
  const auto stored = octal(block.substr(kChecksumAt, kChecksumLength));
  std::int64_t sum = 0, signedSum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool own = i >= kChecksumAt && i < kChecksumAt + kChecksumLength;
    sum += own ? ' ' : static_cast<unsigned char>(block[i]);
    signedSum += own ? ' ' : static_cast<signed char>(block[i]);
  }
  return stored && (std::int64_t(*stored) == sum || std::int64_t(*stored) == signedSum);
}

std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                 : std::nullopt;
}

/// Whether the record was understood.
bool applyPax(std::string_view key, std::string_view value, PaxChanges& changes) {
  if (key == "path") changes.name = std::string(value);
  if (key.starts_with("GNU.sparse.")) changes.sparse = true;
  if (key != "size") return true;
  changes.size = decimal(value);
  return changes.size.has_value();
}

}  // namespace

bool isZeroBlock(std::string_view block) {
  return std::all_of(block.begin(), block.end(), [](char byte) { return byte == 0; });
}

std::optional<TarHeader> parseTarHeader(std::string_view block) {
  if (block.size() != kTarBlock || !checksumFits(block)) return std::nullopt;
  const auto size = sizeIn(block);
  if (!size) return std::nullopt;
  TarHeader header{std::string(textIn(block, 0, kNameLength)), *size, block[kTypeAt]};
  // GNU's old header has other things where the prefix would be, and blanks after its magic.
  const bool posix = block.substr(kMagicAt, 6) == std::string_view("ustar\0", 6);
  const std::string_view prefix = textIn(block, kPrefixAt, kPrefixLength);
  if (posix && !prefix.empty()) header.name = std::string(prefix) + "/" + header.name;
  return header;
}

std::optional<PaxChanges> parsePax(std::string_view text) {
  PaxChanges changes;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    if (blank == text.npos) return std::nullopt;
    const auto length = decimal(text.substr(0, blank));
    if (!length || *length < blank + 3 || *length > text.size()) return std::nullopt;
    const std::string_view record = text.substr(blank + 1, *length - blank - 1);
    const std::size_t equals = record.find('=');
    if (equals == record.npos || record.back() != '\n') return std::nullopt;
    if (!applyPax(record.substr(0, equals), record.substr(equals + 1, record.size() - equals - 2),
                  changes))
      return std::nullopt;
    text.remove_prefix(*length);
  }
  return changes;
}

}  // namespace headlight
