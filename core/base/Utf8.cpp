// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Utf8.h"

namespace headlight {

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

std::vector<char32_t> codePoints(std::string_view text) {
  std::vector<char32_t> points;
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    char32_t point = length == 1 ? lead : lead & (0xFF >> (length + 1));
    for (std::size_t i = 1; i < length; ++i)
      point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
    points.push_back(length == 0 ? U'\uFFFD' : point);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return points;
}

bool endsWithinCharacter(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte >= 0x80 && byte < 0xC0) continue;              // one that goes on
    if (byte < 0xC2 || byte > 0xF4) return false;           // none that begins a longer one
    return back < (byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4);  // RFC 3629, section 3
  }
  return false;
}

bool isControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  // U+0080 … U+009F: terminals obey these too.
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

bool turnsText(std::string_view character) {
  if (character.size() != 3) return false;
  const std::string_view start = character.substr(0, 2);
  const auto last = static_cast<unsigned char>(character[2]);
  return (start == "\xe2\x80" && last >= 0xA8 && last <= 0xAE) ||
         (start == "\xe2\x81" && last >= 0xA6 && last <= 0xA9);
}

std::string fitForTerminal(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    const bool kept = character == "\n" || character == "\t";
    if (length == 0 || (isControl(character) && !kept) || turnsText(character)) {
      result += '?';
    } else {
      result += character;
    }
    text.remove_prefix(character.size());
  }
  return result;
}

std::string fitForLine(std::string_view text) {
  std::string line = fitForTerminal(text);
  for (char& letter : line)
    if (letter == '\n' || letter == '\t') letter = ' ';
  return line;
}

}  // namespace headlight
