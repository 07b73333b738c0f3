// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/Characters.h"

#include <cstdio>

#include "core/base/Translation.h"
#include "core/base/Utf8.h"

namespace headlight {

void appendUtf8(std::string& text, char32_t character) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  const auto tail = [&](int shift) { add(0x80 | ((character >> shift) & 0x3F)); };
  if (character < 0x80) return add(character);
  if (character < 0x800) return add(0xC0 | (character >> 6)), tail(0);
  if (character < 0x10000) return add(0xE0 | (character >> 12)), tail(6), tail(0);
  add(0xF0 | (character >> 18)), tail(12), tail(6), tail(0);
}

std::string utf8Text(const std::u32string& characters) {
  std::string text;
  for (const char32_t character : characters)
    appendUtf8(text, character);
  return text;
}

std::vector<std::string_view> splitCharacters(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8Length(text), 1);
    characters.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

std::string codeName(char32_t character) {
  char name[16];
  std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(character));
  return name;
}

void refuseTokenizer(const std::string& what, const std::string& where) {
  throw Failure({ErrorCode::UnsupportedFile,
                 tr("the tokenizer has ") + what +
                     tr(", which is not supported; only CLIP's byte pairs and SentencePiece's "
                        "unigrams are read"),
                 where});
}

void failTokenizer(const std::string& message, const std::string& where) {
  throw Failure({ErrorCode::InvalidFile, message + tr("; download the tokenizer again"), where});
}

const Json& tokenizerValue(const Json& json, const char* key) {
  static const Json none;
  if (!json.is_object()) return none;
  const auto found = json.find(key);
  return found == json.end() ? none : *found;
}

std::string tokenizerText(const Json& json, const char* key, const std::string& where) {
  const Json& value = tokenizerValue(json, key);
  if (value.is_null()) return {};
  if (!value.is_string()) failTokenizer(std::string(key) + tr(" must be a text"), where);
  return value.get<std::string>();
}

bool tokenizerFlag(const Json& json, const char* key, bool otherwise, const std::string& where) {
  const Json& value = tokenizerValue(json, key);
  if (value.is_null()) return otherwise;
  if (!value.is_boolean()) failTokenizer(std::string(key) + tr(" must be true or false"), where);
  return value.get<bool>();
}

}  // namespace headlight
