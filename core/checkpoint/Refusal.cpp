#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxDimensions = 64;
constexpr std::size_t kMaxNameBytes = 1024;
constexpr std::size_t kMaxQuotedBytes = 100;

/// Bytes of the UTF-8 character at the start of `text`; 0 if there is none (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

bool isControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  // U+0080 … U+009F: terminals obey these too.
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

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

std::string shapeText(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size() && i < kMaxDimensions; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() > kMaxDimensions ? ", …]" : "]");
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
