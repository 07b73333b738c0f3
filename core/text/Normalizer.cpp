// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/Normalizer.h"

#include <memory>

#include "core/base/Translation.h"
#include "core/base/Utf8.h"
#include "core/text/CharacterPattern.h"
#include "core/text/Characters.h"
#include "core/text/PrecompiledMap.h"
#include "core/text/UnicodeTables.h"

namespace headlight {
namespace {

std::string inLowerCase(const std::string& text) {
  std::string result;
  for (const char32_t character : codePoints(text))
    result += utf8Text(lowerCase(character));
  return result;
}

/// Composed text stays as it is; a keyboard gives no other.
std::string requireComposed(const std::string& text) {
  for (const char32_t character : codePoints(text))
    if (mayCompose(character))
      throw Failure({ErrorCode::InvalidArgument,
                     tr("has the character ") + codeName(character) +
                         tr(", which the tokenizer would combine with others; write letters with "
                            "accents as single characters (Unicode's form NFC)"),
                     ""});
  return text;
}

bool isSpaceAt(std::string_view character) {
  return isWhiteSpace(codePoints(character).front());
}

std::string stripped(const std::string& text, bool left, bool right) {
  const auto characters = splitCharacters(text);
  std::size_t first = 0, last = characters.size();
  while (left && first < last && isSpaceAt(characters[first]))
    ++first;
  while (right && first < last && isSpaceAt(characters[last - 1]))
    --last;
  std::string result;
  for (; first < last; ++first)
    result += characters[first];
  return result;
}

std::string replacedText(const std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  std::size_t at = 0, next;
  for (; (next = text.find(from, at)) != std::string::npos; at = next + from.size())
    result += text.substr(at, next - at) + to;
  return result + text.substr(at);
}

}  // namespace

Normalizer::Normalizer(const Json& json, const std::string& where) {
  if (!json.is_null()) add(json, where);
}

void Normalizer::add(const Json& json, const std::string& where) {
  const std::string type = tokenizerText(json, "type", where);
  if (type == "Sequence") {
    for (const Json& part : tokenizerValue(json, "normalizers"))
      add(part, where);
  } else if (type == "Lowercase") {
    m_steps.push_back(inLowerCase);
  } else if (type == "NFC") {
    m_steps.push_back(requireComposed);
  } else if (type == "Strip") {
    const bool left = tokenizerFlag(json, "strip_left", true, where),
               right = tokenizerFlag(json, "strip_right", true, where);
    m_steps.push_back([=](const std::string& text) { return stripped(text, left, right); });
  } else if (type == "Replace") {
    addReplacement(json, where);
  } else if (type == "Prepend") {
    m_steps.push_back([before = tokenizerText(json, "prepend", where)](const std::string& text) {
      return text.empty() ? text : before + text;
    });
  } else if (type == "Precompiled") {
    const auto map =
        std::make_shared<PrecompiledMap>(tokenizerText(json, "precompiled_charsmap", where), where);
    m_steps.push_back([map](const std::string& text) { return map->normalized(text); });
  } else {
    refuseTokenizer("the normalizer " + (type.empty() ? "?" : type), where);
  }
}

void Normalizer::addReplacement(const Json& json, const std::string& where) {
  const Json& pattern = tokenizerValue(json, "pattern");
  const std::string by = tokenizerText(json, "content", where);
  const std::string plain = tokenizerText(pattern, "String", where),
                    expression = tokenizerText(pattern, "Regex", where);
  if (plain.empty() == expression.empty()) failTokenizer(tr("Replace has no pattern"), where);
  if (!plain.empty())
    m_steps.push_back([=](const std::string& text) { return replacedText(text, plain, by); });
  else
    m_steps.push_back([of = CharacterPattern(expression, where), by](const std::string& text) {
      return of.replaced(text, by);
    });
}

std::string Normalizer::normalized(std::string text) const {
  for (const Step& step : m_steps)
    text = step(text);
  return text;
}

}  // namespace headlight
