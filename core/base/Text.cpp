// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Text.h"

#include <algorithm>
#include <charconv>

namespace headlight {

std::string numberText(double value) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

void addTo(std::string& list, std::string_view part, std::string_view separator) {
  if (!list.empty()) list += separator;
  list += part;
}

std::string joined(const std::vector<std::string>& parts, std::size_t most) {
  std::string list;
  for (std::size_t i = 0; i < std::min(parts.size(), most); ++i)
    addTo(list, parts[i]);
  if (parts.size() > most) list += " and " + std::to_string(parts.size() - most) + " more";
  return list;
}

std::string countText(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string lowered(std::string text) {
  for (char& letter : text)
    if ('A' <= letter && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

std::string csvQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text)
    quoted.append(letter == '"' ? 2 : 1, letter);
  quoted += '"';
  return quoted;
}

std::string shapeText(std::span<const std::int64_t> shape) {
  constexpr std::size_t kMost = 64;
  std::string list;
  for (std::size_t i = 0; i < std::min(shape.size(), kMost); ++i)
    addTo(list, std::to_string(shape[i]));
  return "[" + list + (shape.size() > kMost ? ", …]" : "]");
}

}  // namespace headlight
