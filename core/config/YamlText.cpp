// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/YamlText.h"

#include <cmath>
#include <cstdio>
#include <map>

#include "core/base/Text.h"
#include "core/base/Utf8.h"

namespace headlight {
namespace {

/// Characters that may stand in a quoted text as they are; the others end lines, or no reader
/// takes them.
bool isPlainInYaml(char32_t c) {
  if (c == U'"' || c == U'\\') return false;
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;
  return c != 0x2028 && c != 0x2029 && c != 0xfeff && c != 0xfffe && c != 0xffff;
}

std::string escaped(char32_t c) {
  if (c == U'"' || c == U'\\') return {'\\', static_cast<char>(c)};
  char text[16];
  std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(c));
  return text;
}

std::string yamlNumber(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  std::string text = numberText(value);
  if (text.find('.') == std::string::npos) text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

std::string yamlValue(const Json& value) {
  if (value.is_string()) return yamlQuoted(value.get_ref<const std::string&>());
  if (value.is_number_float()) return yamlNumber(value.get<double>());
  return value.dump();  // null, true, a whole number
}

std::string yamlEntry(const Json& value) {
  if (!value.is_array()) return " " + yamlValue(value) + "\n";
  if (value.empty()) return " []\n";
  std::string list = "\n";
  for (const Json& item : value)
    list += "- " + yamlValue(item) + "\n";
  return list;
}

}  // namespace

std::string yamlQuoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    const char32_t c = codePoints(text.substr(0, std::max<std::size_t>(length, 1))).front();
    if (length == 0)
      quoted += "\xef\xbf\xbd";  // U+FFFD
    else
      quoted += isPlainInYaml(c) ? std::string(text.substr(0, length)) : escaped(c);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return quoted + "\"";
}

std::string yamlText(const Json& object) {
  std::map<std::string, std::string> entries;
  for (const auto& [key, value] : object.items())
    entries[key] = yamlEntry(value);
  std::string text;
  for (const auto& [key, entry] : entries)
    text += key + ":" + entry;
  return text;
}

}  // namespace headlight
