// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/classes/TextLines.h"

namespace headlight {

std::string_view withoutMark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

std::vector<std::string_view> splitLines(std::string_view text) {
  text = withoutMark(text);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find_first_of("\r\n");
    lines.push_back(text.substr(0, end));
    const bool both = end != text.npos && text.substr(end).starts_with("\r\n");
    text.remove_prefix(end == text.npos ? text.size() : end + (both ? 2 : 1));
  }
  while (!lines.empty() && trimmed(lines.back()).empty())
    lines.pop_back();
  return lines;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool isJsonText(std::string_view text) {
  text = withoutMark(text);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && (text[first] == '[' || text[first] == '{');
}

}  // namespace headlight
