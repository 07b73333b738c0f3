// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text as characters and back, and the errors that readers of tokenizers share. Internal to
// core/text.

#include <string>
#include <string_view>
#include <vector>

#include "core/config/Parameter.h"

namespace headlight {

void appendUtf8(std::string& text, char32_t character);
std::string utf8Text(const std::u32string& characters);

/// The characters of UTF-8, each as its bytes.
std::vector<std::string_view> splitCharacters(std::string_view text);

/// "U+0301".
std::string codeName(char32_t character);

/// Throws Failure(UnsupportedFile): `what` is in the tokenizer, and not in this program.
[[noreturn]] void refuseTokenizer(const std::string& what, const std::string& where);
/// Throws Failure(InvalidFile).
[[noreturn]] void failTokenizer(const std::string& message, const std::string& where);

/// The text under `key`; empty where it is missing or null. Throws Failure for anything else.
std::string tokenizerText(const Json& json, const char* key, const std::string& where);
bool tokenizerFlag(const Json& json, const char* key, bool otherwise, const std::string& where);
/// The value under `key`; null where there is none, or where `json` is no object.
const Json& tokenizerValue(const Json& json, const char* key);

}  // namespace headlight
