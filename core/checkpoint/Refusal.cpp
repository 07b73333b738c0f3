// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/Refusal.h"

#include "core/base/Utf8.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxNameBytes = 1024;
constexpr std::size_t kMaxQuotedBytes = 100;

}  // namespace

void refuse(const std::string& where, const std::string& message, ErrorCode code) {
  throw Failure({code, message, where});
}

std::string inQuotes(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (result.size() + character.size() > kMaxQuotedBytes) {
      result += "…";
      break;
    }
    if (length == 0 || isControl(character)) {
      result += '?';
    } else {
      result += character;
    }
    text.remove_prefix(character.size());
  }
  return result + "\"";
}

bool isPlainName(std::string_view text) {
  if (text.size() > kMaxNameBytes) return false;
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    if (length == 0 || isControl(text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::optional<std::int64_t> byteCount(std::span<const std::int64_t> shape, std::int64_t itemBytes) {
  if (shape.size() > kMaxDimensions) return std::nullopt;
  std::int64_t bytes = itemBytes;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, size, &bytes)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : bytes;
}

}  // namespace headlight
